/** Moves and zooms a large picture by mouse, touch and buttons. */

import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";

export interface PanZoom {
  x: number;
  y: number;
  scale: number;
}

const SCALE_MIN = 0.05;
const SCALE_MAX = 2;
const CLICK_PX = 4;
/** Around a picture that is shown whole. */
const ROOM_PX = 6;
/** A picture that is larger by so little is shown whole rather than cut. */
const NEARLY = 0.75;

export function usePanZoom(frame: RefObject<HTMLElement | null>) {
  const [view, setView] = useState<PanZoom>({ x: 0, y: 0, scale: 1 });
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      setView((last) =>
        zoomAt(last, Math.exp(-event.deltaY * 0.005), event.clientX - box.left, event.clientY - box.top),
      );
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [frame]);
  const zoom = useCallback(
    (factor: number) =>
      setView((last) =>
        zoomAt(last, factor, (frame.current?.clientWidth ?? 0) / 2, (frame.current?.clientHeight ?? 0) / 2),
      ),
    [frame],
  );
  /** Show all of a picture of this size; at least at about `scaleMin`, its top left corner if it is larger. */
  const fit = useCallback(
    (width: number, height: number, scaleMin = SCALE_MIN) => {
      const element = frame.current;
      if (!element || width === 0 || height === 0) return;
      const whole = Math.min(
        1,
        (element.clientWidth - 2 * ROOM_PX) / width,
        (element.clientHeight - 2 * ROOM_PX) / height,
      );
      const scale = Math.max(SCALE_MIN, whole >= scaleMin * NEARLY ? whole : scaleMin);
      setView({
        scale,
        x: Math.max(ROOM_PX, (element.clientWidth - width * scale) / 2),
        y: Math.max(ROOM_PX, (element.clientHeight - height * scale) / 2),
      });
    },
    [frame],
  );
  /** Bring a point to the middle, large enough to be read. */
  const center = useCallback(
    (x: number, y: number) => {
      const element = frame.current;
      if (element)
        setView((last) => {
          const scale = Math.max(last.scale, 0.8);
          return { scale, x: element.clientWidth / 2 - x * scale, y: element.clientHeight / 2 - y * scale };
        });
    },
    [frame],
  );
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const after = { x: event.clientX, y: event.clientY };
      pointers.current.set(event.pointerId, after);
      moved.current += Math.abs(after.x - before.x) + Math.abs(after.y - before.y);
      if (moved.current < CLICK_PX) return;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      const other = others[0];
      if (!other) setView((last) => ({ ...last, x: last.x + after.x - before.x, y: last.y + after.y - before.y }));
      else {
        const box = (event.currentTarget as Element).getBoundingClientRect();
        const factor =
          Math.hypot(after.x - other.x, after.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
        setView((last) => zoomAt(last, factor, other.x - box.left, other.y - box.top));
      }
    },
    onPointerUp: (event: PointerEvent) => {
      pointers.current.delete(event.pointerId);
    },
    onPointerCancel: (event: PointerEvent) => {
      pointers.current.delete(event.pointerId);
    },
  };
  return { view, zoom, fit, center, handlers, wasDragged: () => moved.current >= CLICK_PX };
}

function zoomAt(last: PanZoom, factor: number, x: number, y: number): PanZoom {
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, last.scale * factor));
  const real = scale / last.scale;
  return { scale, x: x - (x - last.x) * real, y: y - (y - last.y) * real };
}
