/** Moves and zooms a large picture by mouse, touch and buttons. */

import { FIT_MARGIN, findFit } from "./fit";
import type { Point, Size } from "./layout";
import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";

export interface PanZoom {
  x: number;
  y: number;
  scale: number;
}

const SCALE_MIN = 0.05;
const SCALE_MAX = 2;
const CLICK_PX = 4;
/** A picture that is larger by so little is shown whole rather than cut. */
const NEARLY = 0.9;
/** Of the room that a lower picture leaves, so much is above it: a little more than the middle looks centred. */
const ABOVE = 0.4;

export function usePanZoom(frame: RefObject<HTMLElement | null>) {
  const [view, setView] = useState<PanZoom>({ x: 0, y: 0, scale: 1 });
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      if (!event.ctrlKey && !event.metaKey) {
        const [x, y] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
        setView((last) => ({ ...last, x: last.x - x, y: last.y - y }));
        return;
      }
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
  /** Show all of a picture of this size; at least at about `scaleMin`: of a larger one the part around `start`. */
  const fit = useCallback(
    (picture: Size, scaleMin = SCALE_MIN, start: Point = { x: 0, y: 0 }) => {
      const element = frame.current;
      if (!element || picture.width === 0 || picture.height === 0) return;
      const room = { width: element.clientWidth, height: element.clientHeight };
      const whole = findFit(picture, room);
      const scale = Math.max(SCALE_MIN, whole >= scaleMin * NEARLY ? whole : scaleMin);
      /** Where a side of the picture begins: in the middle if it fits, else so that `start` is shown. */
      const begin = (size: number, space: number, at: number, share = 0.5) => {
        const free = space - size * scale;
        return free >= 2 * FIT_MARGIN
          ? Math.max(FIT_MARGIN, free * share)
          : Math.min(FIT_MARGIN, Math.max(free - FIT_MARGIN, space / 2 - at * scale));
      };
      setView({
        scale,
        x: begin(picture.width, room.width, start.x),
        y: begin(picture.height, room.height, start.y, ABOVE),
      });
    },
    [frame],
  );
  /** Show this point in the middle. */
  const show = useCallback(
    ({ x, y, scale }: PanZoom) => {
      const element = frame.current;
      if (!element) return;
      const size = Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale));
      setView({ scale: size, x: element.clientWidth / 2 - x * size, y: element.clientHeight / 2 - y * size });
    },
    [frame],
  );
  /** Bring a point to the middle of what is not covered at the right, large enough to be read. */
  const center = useCallback(
    (x: number, y: number, covered = 0, scaleMin = 0.8) => {
      const element = frame.current;
      if (element)
        setView((last) => {
          const scale = Math.max(last.scale, scaleMin);
          const width = Math.max(element.clientWidth / 3, element.clientWidth - covered);
          return { scale, x: width / 2 - x * scale, y: element.clientHeight / 2 - y * scale };
        });
    },
    [frame],
  );
  /** Move as little as brings a part of the picture into the frame. */
  const reveal = useCallback(
    (part: Point & Size) => {
      const element = frame.current;
      if (element)
        setView((last) => ({
          ...last,
          x: findShift(last.x, part.x * last.scale, part.width * last.scale, element.clientWidth),
          y: findShift(last.y, part.y * last.scale, part.height * last.scale, element.clientHeight),
        }));
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
  return { view, zoom, fit, show, center, reveal, handlers, wasDragged: () => moved.current >= CLICK_PX };
}

/** Where a side of the picture begins, so that a part of it is within the frame; as it is now if the part is, or is larger. */
export function findShift(begin: number, from: number, size: number, room: number): number {
  const last = room - from - size - FIT_MARGIN;
  const first = FIT_MARGIN - from;
  return last < first ? begin : Math.min(last, Math.max(first, begin));
}

function zoomAt(last: PanZoom, factor: number, x: number, y: number): PanZoom {
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, last.scale * factor));
  const real = scale / last.scale;
  return { scale, x: x - (x - last.x) * real, y: y - (y - last.y) * real };
}
