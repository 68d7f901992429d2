/** The lines of a graph as SVG paths. */

import type { Direction, Point } from "./layout";

const ARROW = 7;

/** Straight where two points are at the same height, else a curve that leaves and enters along the direction. */
export function drawLine(points: readonly Point[], direction: Direction, hasArrow: boolean): string {
  const first = points[0];
  if (!first) return "";
  let path = `M${round(first.x)} ${round(first.y)}`;
  points.slice(1).forEach((point, at) => {
    const from = points[at] as Point;
    const isEnd = hasArrow && at === points.length - 2;
    const end = isEnd ? pullBack(from, point, direction) : point;
    const half = direction === "LR" ? (end.x - from.x) / 2 : (end.y - from.y) / 2;
    if (direction === "LR" ? from.y === end.y : from.x === end.x) path += `L${round(end.x)} ${round(end.y)}`;
    else if (direction === "LR")
      path += `C${round(from.x + half)} ${round(from.y)} ${round(end.x - half)} ${round(end.y)} ${round(end.x)} ${round(end.y)}`;
    else
      path += `C${round(from.x)} ${round(from.y + half)} ${round(end.x)} ${round(end.y - half)} ${round(end.x)} ${round(end.y)}`;
  });
  return path;
}

export function drawArrow(points: readonly Point[], direction: Direction): string {
  const [before, end] = [points.at(-2), points.at(-1)];
  if (!before || !end) return "";
  const wing = ARROW / 2;
  const back = isBackward(before, end, direction) ? ARROW : -ARROW;
  return direction === "LR"
    ? `M${round(end.x)} ${round(end.y)}l${back} ${-wing}v${2 * wing}z`
    : `M${round(end.x)} ${round(end.y)}l${-wing} ${back}h${2 * wing}z`;
}

function pullBack(before: Point, end: Point, direction: Direction): Point {
  const back = isBackward(before, end, direction) ? ARROW - 1 : 1 - ARROW;
  return direction === "LR" ? { x: end.x + back, y: end.y } : { x: end.x, y: end.y + back };
}

function isBackward(before: Point, end: Point, direction: Direction): boolean {
  return direction === "LR" ? end.x < before.x : end.y < before.y;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
