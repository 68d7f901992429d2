/** What the page asks of the worker that lays graphs out, and what it answers. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Placed extends Point, Size {}

/** From an upstream to a downstream node, by index. */
export type Edge = [number, number];

/** From left to right, or from top to bottom. */
export type Direction = "LR" | "TB";

export interface GraphNode extends Size {
  /** The index of the open group that contains it; null at the top. */
  parent: number | null;
  /** An open group gets its size from its content. */
  isOpenGroup: boolean;
}

export interface GraphRequest {
  /** Each after its parent. */
  nodes: GraphNode[];
  edges: Edge[];
  /** Edges of different kinds never share a line. Empty: all are alike. */
  kinds: string[];
  /** The width of the label of each edge, 0 without one. Empty: no edge has one. */
  labels: number[];
  direction: Direction;
  /** The width of the frame by its height: what is not connected is packed to fit it. */
  aspect: number;
}

/** A part of one or several edges that is drawn once. */
export interface Line {
  /** Two points at the same height are joined by a straight line, others by a curve that leaves and enters along the direction. */
  points: Point[];
  /** The edges of which it is a part. */
  edges: number[];
  /** It reaches the node to which its edges lead. */
  isEnd: boolean;
}

export interface GraphLayout extends Size {
  nodes: Placed[];
  lines: Line[];
  /** Around equal siblings that stand in columns. */
  blocks: Placed[];
  /** Where many edges meet. */
  joins: Point[];
  /** The middle of the label of each edge. */
  labels: (Point | null)[];
}

export const LABEL_HEIGHT = 18;
