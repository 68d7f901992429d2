/** Lists that show only the lines in view show all of them on paper. */

import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

/** The most lines outside of the view that are printed. */
const PRINTED_MAX = 3_000;

let isPrinting = false;
const listeners = new Set<() => void>();

function change(value: boolean): void {
  isPrinting = value;
  // The browser lays the page out right after the event.
  flushSync(() => listeners.forEach((listener) => listener()));
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const begin = () => change(true);
const end = () => change(false);

/** How many lines around the view a list has: `usual`, and nearly all while the page is printed. */
export function useOverscan(usual: number): number {
  return useSyncExternalStore(subscribe, () => (isPrinting ? PRINTED_MAX : usual));
}
