/** Loads the code and the answers of a view before it is opened: when the pointer rests on what opens it, or presses it. */

import { useCallback, useEffect, useRef } from "react";

/** So long the pointer rests before a view is loaded: one that only passes loads nothing. */
const REST_MS = 50;

/** A function that calls `load` after a rest, or at once; undefined: the pointer has left. */
export function usePreload(): (load: (() => Promise<unknown>) | undefined, isNow?: boolean) => void {
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return useCallback((load, isNow = false) => {
    window.clearTimeout(timer.current);
    if (!load) return;
    // What cannot be loaded says so when it is opened.
    const begin = () => void load().catch(() => undefined);
    if (isNow) begin();
    else timer.current = window.setTimeout(begin, REST_MS);
  }, []);
}
