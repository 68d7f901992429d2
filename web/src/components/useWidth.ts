/** The width of an element, as it is now: what is drawn to fit it is drawn again when it changes. */

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.floor(shown.clientWidth)));
    observer.observe(shown);
    setWidth(Math.floor(shown.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
