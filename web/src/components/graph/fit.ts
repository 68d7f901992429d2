/** How a picture fits into a frame. */

import type { Size } from "./layout";

/** Around a picture that is shown whole. */
export const FIT_MARGIN = 16;

/** The scale at which a picture is shown whole; a small one is not made larger. */
export function findFit(picture: Size, frame: Size): number {
  return Math.min(
    1,
    (frame.width - 2 * FIT_MARGIN) / Math.max(1, picture.width),
    (frame.height - 2 * FIT_MARGIN) / Math.max(1, picture.height),
  );
}
