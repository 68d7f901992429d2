/** The layout of a graph with open groups: each group is laid out by itself, and is then one node of what contains it. */

import { layOutLayers, type Point, type Size } from "./layered";
import type { Edge } from "./ranks";

export interface NestedNode extends Size {
  /** The index of the open group that contains it; null at the top. */
  parent: number | null;
  /** An open group gets its size from its content. */
  isOpenGroup: boolean;
}

export interface NestedGraph {
  /** Each after its parent. */
  nodes: NestedNode[];
  edges: Edge[];
  direction: "LR" | "TB";
}

export interface Placed extends Point, Size {}

export interface NestedLayout {
  nodes: Placed[];
  /** The points between the ends of each edge. */
  bends: Point[][];
  width: number;
  height: number;
}

const PADDING = 14;
const HEADER = 30;

/** The places of all nodes, and the points between the ends of each edge. */
export function layOutNested(graph: NestedGraph): NestedLayout {
  const { nodes, edges } = graph;
  const flip = graph.direction === "TB";
  const children: number[][] = nodes.map(() => []);
  const top: number[] = [];
  nodes.forEach((node, at) => (node.parent === null ? top : (children[node.parent] as number[])).push(at));
  const inner: Layer[] = [];
  const placed: Placed[] = nodes.map((node) => ({ x: 0, y: 0, width: node.width, height: node.height }));
  const levels = liftEdges(nodes, edges);

  const layOut = (members: number[], parent: number): Layer => {
    const index = new Map(members.map((node, at) => [node, at]));
    const own = levels.get(parent) ?? new Map<string, LiftedEdge>();
    const lifted = [...own.values()];
    const sizes = members.map((node) => turn(placed[node] as Size, flip));
    const found = layOutLayers(
      sizes,
      lifted.map((edge): Edge => [index.get(edge.from) as number, index.get(edge.to) as number]),
    );
    const points = (list: Point[]) => list.map((one) => (flip ? { x: one.y, y: one.x } : one));
    lifted.forEach((edge, at) => {
      edge.bend = points(found.bends[at] as Point[]);
    });
    return { members, places: points(found.nodes), lifted, ...turn(found, flip) };
  };
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    if (!(nodes[at] as NestedNode).isOpenGroup) continue;
    const layer = layOut(children[at] as number[], at);
    inner[at] = layer;
    const own = placed[at] as Placed;
    own.width = Math.max(layer.width + 2 * PADDING, (nodes[at] as NestedNode).width);
    own.height = layer.height + HEADER + PADDING;
  }
  const outer = layOut(top, -1);
  const bends: Point[][] = edges.map(() => []);
  const put = (layer: Layer, x: number, y: number) => {
    layer.members.forEach((node, at) => {
      const place = layer.places[at] as Point;
      Object.assign(placed[node] as Placed, { x: x + place.x, y: y + place.y });
      const content = inner[node];
      if (content) put(content, x + place.x + PADDING, y + place.y + HEADER);
    });
    for (const edge of layer.lifted)
      for (const one of edge.edges) bends[one] = edge.bend.map((point) => ({ x: x + point.x, y: y + point.y }));
  };
  put(outer, 0, 0);
  return { nodes: placed, bends, width: outer.width, height: outer.height };
}

interface LiftedEdge {
  from: number;
  to: number;
  edges: number[];
  bend: Point[];
}

interface Layer extends Size {
  members: number[];
  places: Point[];
  lifted: LiftedEdge[];
}

/** By parent (-1: the top) the edges between its members: each edge belongs to the innermost group that contains both of its ends. */
function liftEdges(nodes: readonly NestedNode[], edges: readonly Edge[]): Map<number, Map<string, LiftedEdge>> {
  const path = (node: number) => {
    const above = [node];
    for (let at = nodes[node]?.parent ?? null; at !== null; at = nodes[at]?.parent ?? null) above.unshift(at);
    return above;
  };
  const levels = new Map<number, Map<string, LiftedEdge>>();
  edges.forEach(([from, to], at) => {
    const left = path(from);
    const right = path(to);
    let depth = 0;
    while (left[depth] === right[depth] && depth < left.length && depth < right.length) depth += 1;
    const [a, b] = [left[depth], right[depth]];
    if (a === undefined || b === undefined) return;
    const parent = depth === 0 ? -1 : (left[depth - 1] as number);
    const level = levels.get(parent) ?? new Map<string, LiftedEdge>();
    levels.set(parent, level);
    const key = `${a}>${b}`;
    const edge = level.get(key) ?? { from: a, to: b, edges: [], bend: [] };
    edge.edges.push(at);
    level.set(key, edge);
  });
  return levels;
}

function turn<T extends Size>(size: T, flip: boolean): Size {
  return flip ? { width: size.height, height: size.width } : { width: size.width, height: size.height };
}
