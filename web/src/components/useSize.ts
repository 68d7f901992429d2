/** The inner size of an element, as it is now: what is drawn to fit it is drawn again when it changes. */

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The element, its width and its height. */
export function useSize<T extends HTMLElement>(): [RefObject<T | null>, number, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return undefined;
    const measure = () => {
      setWidth(Math.floor(shown.clientWidth));
      setHeight(Math.floor(shown.clientHeight));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    measure();
    return () => observer.disconnect();
  }, []);
  return [element, width, height];
}
