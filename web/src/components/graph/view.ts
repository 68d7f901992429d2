/** Which part of a large picture is drawn: what is shown, and a part around it, so that a small move draws nothing new. */

import { useMemo } from "react";
import type { GraphLayout, Line, Placed, Size } from "./layout";
import type { PanZoom } from "./usePanZoom";

/** Fewer nodes and lines are all drawn. */
const DRAWN_ALL = 700;
const STEP = 400;

export interface InView {
  node: (at: number) => boolean;
  line: (line: Line) => boolean;
}

const ALL: InView = { node: () => true, line: () => true };

export function useInView(layout: GraphLayout, { x, y, scale }: PanZoom, frame: Size, isWhole: boolean): InView {
  const isAll = isWhole || layout.nodes.length + layout.lines.length < DRAWN_ALL;
  const left = Math.floor(-x / scale / STEP) * STEP - STEP;
  const top = Math.floor(-y / scale / STEP) * STEP - STEP;
  const right = Math.ceil((frame.width - x) / scale / STEP) * STEP + STEP;
  const bottom = Math.ceil((frame.height - y) / scale / STEP) * STEP + STEP;
  return useMemo(() => {
    if (isAll) return ALL;
    return {
      node: (at) => {
        const place = layout.nodes[at] as Placed;
        return place.x < right && place.x + place.width > left && place.y < bottom && place.y + place.height > top;
      },
      line: ({ points }) =>
        points.some((point) => point.x >= left) &&
        points.some((point) => point.x <= right) &&
        points.some((point) => point.y >= top) &&
        points.some((point) => point.y <= bottom),
    };
  }, [isAll, layout, left, top, right, bottom]);
}
