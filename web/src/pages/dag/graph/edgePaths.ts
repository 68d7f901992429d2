/** The lines of the edges as SVG paths. */

import type { FoldedGraph } from "./foldGraph";
import type { Point } from "../../../components/graph/layout";
import type { NestedLayout, Placed } from "../../../components/graph/nested";

const ARROW = 7;

export interface EdgePath {
  line: string;
  arrow: string;
  /** Where a label stands. */
  middle: Point;
}

export function drawEdges(graph: FoldedGraph, layout: NestedLayout, direction: "LR" | "TB"): EdgePath[] {
  return graph.edges.map(({ ends }, at) => {
    const from = layout.nodes[ends[0]] as Placed;
    const to = layout.nodes[ends[1]] as Placed;
    const isBack = direction === "LR" ? to.x + to.width < from.x : to.y + to.height < from.y;
    return drawEdge(
      leave(from, direction, isBack),
      enter(to, direction, isBack),
      layout.bends[at] ?? [],
      direction,
      isBack ? -1 : 1,
    );
  });
}

function drawEdge(start: Point, end: Point, bends: Point[], direction: "LR" | "TB", sign: number): EdgePath {
  const isAcross = direction === "LR";
  const base = isAcross ? { x: end.x - ARROW * sign, y: end.y } : { x: end.x, y: end.y - ARROW * sign };
  const points = [start, ...bends, base];
  let line = `M${round(start.x)} ${round(start.y)}`;
  for (let at = 1; at < points.length; at += 1) {
    const [a, b] = [points[at - 1] as Point, points[at] as Point];
    const half = isAcross ? (b.x - a.x) / 2 : (b.y - a.y) / 2;
    const first = isAcross ? { x: a.x + half, y: a.y } : { x: a.x, y: a.y + half };
    const second = isAcross ? { x: b.x - half, y: b.y } : { x: b.x, y: b.y - half };
    line += `C${round(first.x)} ${round(first.y)} ${round(second.x)} ${round(second.y)} ${round(b.x)} ${round(b.y)}`;
  }
  const wing = ARROW / 2;
  const arrow = isAcross
    ? `M${round(end.x)} ${round(end.y)}l${-ARROW * sign} ${-wing}v${2 * wing}z`
    : `M${round(end.x)} ${round(end.y)}l${-wing} ${-ARROW * sign}h${2 * wing}z`;
  const [a, b] =
    bends.length > 0 ? [bends[bends.length >> 1] as Point, bends[bends.length >> 1] as Point] : [start, end];
  return { line, arrow, middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } };
}

function leave(node: Placed, direction: "LR" | "TB", isBack: boolean): Point {
  if (direction === "LR") return { x: isBack ? node.x : node.x + node.width, y: node.y + node.height / 2 };
  return { x: node.x + node.width / 2, y: isBack ? node.y : node.y + node.height };
}

function enter(node: Placed, direction: "LR" | "TB", isBack: boolean): Point {
  if (direction === "LR") return { x: isBack ? node.x + node.width : node.x, y: node.y + node.height / 2 };
  return { x: node.x + node.width / 2, y: isBack ? node.y + node.height : node.y };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
