/** When what has the focus leaves the view (a row that is done with, the button of an act), the focus goes to what stands in its place: the row that follows, the one before, or the heading of the section. From the body a keyboard would begin at the top again. */

import { useEffect } from "react";

const ROW = "tr, li, [role=row], [role=listitem]";
const CONTROL = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex='0']";
const HEADING = "h1, h2, h3";
/** The rows after and before one that are remembered: several can leave at once. */
const ROWS_MAX = 20;

interface Place {
  element: Element;
  /** What may take its place, the best first. */
  heirs: Element[];
}

export function useLostFocus(): void {
  useEffect(() => {
    let place: Place | undefined;
    const remember = ({ target }: FocusEvent) => {
      // A dialog in front of the view is outside of it: the place is that of the button that opened it.
      if (target instanceof Element && target.closest("main")) place = { element: target, heirs: listHeirs(target) };
    };
    const restore = () => {
      if (!place || place.element.isConnected || !isLost()) return;
      const heirs = place.heirs;
      requestAnimationFrame(() => {
        if (isLost()) focusFirst(heirs);
      });
      place = undefined;
    };
    const observer = new MutationObserver(restore);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", remember);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", remember);
    };
  }, []);
}

function isLost(): boolean {
  const hasFocus = document.activeElement !== null && document.activeElement !== document.body;
  return !hasFocus && document.querySelector("[data-modal]") === null;
}

function listHeirs(element: Element): Element[] {
  const heirs: Element[] = [];
  for (let parent: Element | null = element; parent && parent.tagName !== "MAIN"; parent = parent.parentElement) {
    if (parent.matches(ROW)) heirs.push(...listSiblings(parent, "next"), ...listSiblings(parent, "previous"));
    const heading = parent.querySelector(HEADING);
    if (heading) heirs.push(heading);
  }
  return heirs;
}

function listSiblings(row: Element, side: "next" | "previous"): Element[] {
  const siblings: Element[] = [];
  let sibling: Element | null = row;
  while (siblings.length < ROWS_MAX) {
    sibling = side === "next" ? sibling.nextElementSibling : sibling.previousElementSibling;
    if (!sibling) break;
    siblings.push(sibling);
  }
  return siblings;
}

function focusFirst(heirs: readonly Element[]): void {
  for (const heir of [...heirs, document.querySelector("main h1")]) {
    if (!heir?.isConnected) continue;
    const control = heir.matches(HEADING) ? heir : heir.querySelector(CONTROL);
    if (!(control instanceof HTMLElement)) continue;
    if (control === heir) control.tabIndex = -1;
    control.focus({ preventScroll: true });
    if (document.activeElement === control) return;
  }
}
