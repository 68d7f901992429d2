/** Whether a click on a link is for the view that shows it, and not for a new tab or window. Such a click does not follow the link. */

import type { MouseEvent } from "react";

export function isPlainClick(event: MouseEvent): boolean {
  const isPlain =
    !event.defaultPrevented &&
    event.button === 0 &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.shiftKey &&
    !event.altKey;
  if (isPlain) event.preventDefault();
  return isPlain;
}
