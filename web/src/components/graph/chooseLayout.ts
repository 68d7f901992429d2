/** Of several ways to fold a graph the first that can be read when it is shown whole. */

import { layOutGraph } from "./layOutGraph";
import type { GraphLayout, GraphRequest, Size } from "./layout";

/** A picture that would be smaller than this folds its groups. */
export const FIT_MIN = 0.6;
/** Around a picture that is shown whole. */
export const FIT_MARGIN = 16;

export interface LayoutQuestion {
  /** The least folded first. */
  requests: GraphRequest[];
  /** What the picture is to fit. */
  frame: Size;
}

export interface LayoutAnswer {
  layout: GraphLayout;
  /** Which of the requests was laid out. */
  choice: number;
}

export function chooseLayout({ requests, frame }: LayoutQuestion): LayoutAnswer {
  for (const [choice, request] of requests.entries()) {
    const layout = layOutGraph(request);
    if (choice === requests.length - 1 || findFit(layout, frame) >= FIT_MIN) return { layout, choice };
  }
  throw new Error("no graph was asked for");
}

/** The scale at which a picture is shown whole; a small one is not made larger. */
export function findFit(picture: Size, frame: Size): number {
  return Math.min(
    1,
    (frame.width - 2 * FIT_MARGIN) / Math.max(1, picture.width),
    (frame.height - 2 * FIT_MARGIN) / Math.max(1, picture.height),
  );
}
