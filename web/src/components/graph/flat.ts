/** The layout of a graph without groups in either direction, with a margin and the points of its edges. */

import { layOutLayers } from "./layered";
import type { Direction, GraphBox, LayoutAnswer, Point } from "./layout";

const MARGIN = 20;

export function layOutFlat(
  boxes: readonly GraphBox[],
  edges: readonly [number, number][],
  direction: Direction,
): Omit<LayoutAnswer, "number"> {
  const isDown = direction === "TB";
  const turned = isDown ? boxes.map(({ width, height }) => ({ width: height, height: width })) : boxes;
  const { nodes, bends, width, height } = layOutLayers(turned, edges);
  const shift = ({ x, y }: Point): Point => ({ x: (isDown ? y : x) + MARGIN, y: (isDown ? x : y) + MARGIN });
  const places = nodes.map(shift);
  const side = (box: number, isEnd: boolean): Point => {
    const [place, size] = [places[box] as Point, boxes[box] as GraphBox];
    if (isDown) return { x: place.x + size.width / 2, y: place.y + (isEnd ? size.height : 0) };
    return { x: place.x + (isEnd ? size.width : 0), y: place.y + size.height / 2 };
  };
  const points = edges.map(([from, to], at) => [
    side(from, true),
    ...(bends[at] as Point[]).map(shift),
    side(to, false),
  ]);
  return {
    places,
    points,
    width: (isDown ? height : width) + 2 * MARGIN,
    height: (isDown ? width : height) + 2 * MARGIN,
  };
}
