/** What the page asks of the worker that lays a graph out, and what it answers. */

export interface GraphBox {
  width: number;
  height: number;
}

export interface LayoutRequest {
  number: number;
  boxes: GraphBox[];
  edges: [number, number][];
  direction: Direction;
}

/** From left to right, or from top to bottom. */
export type Direction = "LR" | "TB";

export interface Point {
  x: number;
  y: number;
}

export interface LayoutAnswer {
  number: number;
  width: number;
  height: number;
  /** The top left corner of each box. */
  places: Point[];
  /** The points of each edge. */
  points: Point[][];
}

/** A smooth line through the points of an edge. */
export function drawLine(points: Point[]): string {
  const first = points[0];
  if (!first) return "";
  let path = `M ${round(first.x)} ${round(first.y)}`;
  for (let at = 1; at < points.length - 1; at += 1) {
    const here = points[at] as Point;
    const next = points[at + 1] as Point;
    path += ` Q ${round(here.x)} ${round(here.y)} ${round((here.x + next.x) / 2)} ${round((here.y + next.y) / 2)}`;
  }
  const last = points[points.length - 1] as Point;
  return `${path} L ${round(last.x)} ${round(last.y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const LINE_LENGTH = 26;
const LINES_MAX = 4;

/** The lines of a name: it breaks behind `_`, `.`, `-` and `/`; the last line of a very long one ends with an ellipsis. */
export function wrapName(name: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of name.slice(0, 400).split(/(?<=[_.\-/\s])/)) {
    for (let rest = part; rest !== ""; rest = rest.slice(LINE_LENGTH)) {
      const piece = rest.slice(0, LINE_LENGTH);
      if (line !== "" && line.length + piece.length > LINE_LENGTH) {
        lines.push(line);
        line = "";
      }
      line += piece;
    }
  }
  if (line !== "") lines.push(line);
  if (lines.length <= LINES_MAX && name.length <= 400) return lines;
  return [...lines.slice(0, LINES_MAX - 1), `${(lines[LINES_MAX - 1] ?? "").slice(0, LINE_LENGTH - 1)}…`];
}
