/** A layered layout from left to right of a graph without groups. Lines bend only between two layers, so that none crosses a node. */

import { assignPorts, placeInLayers, type PortedLink } from "./heights";
import { linkLayers, type Step } from "./links";
import type { Edge, Placed, Point, Size } from "./layout";
import { LayerOrder } from "./order";
import { findBackEdges, rankNodes } from "./ranks";

export interface FlatNode extends Size {
  /** `in` and `out` are on the left and on the right side of what is laid out: there lines come in and go out. */
  role: "box" | "in" | "out";
  /** It becomes as wide as the widest such node of its layer. */
  isFlexible: boolean;
}

export interface FlatLine {
  points: Point[];
  /** The edges of which it is a part. */
  steps: number[];
  /** The nodes where it begins and ends; undefined at a bend. */
  from: number | undefined;
  to: number | undefined;
}

export interface FlatLayout extends Size {
  nodes: Placed[];
  lines: FlatLine[];
}

const LAYER_GAP = 44;
const SIDE_GAP = 16;
const GAP_MAX = 120;
/** A gap is wider by this part of the longest way up or down in it. */
const SLOPE = 0.14;

export function layOutFlat(nodes: readonly FlatNode[], edges: readonly Step[]): FlatLayout {
  const isBack = findBackEdges(
    nodes.length,
    edges.map(({ from, to }): Edge => [from, to]),
  );
  const steps = edges.map((edge, at) => (isBack[at] ? turnRound(edge) : edge));
  const { ranks, links } = linkLayers(rankWithSides(nodes, steps), steps);
  const heights = ranks.map((_, node) => nodes[node]?.height ?? 0);
  const layers = new LayerOrder(ranks, links, heights).improve();
  const sizes = { heights, real: nodes.length };
  const ported = assignPorts(layers, links, sizes);
  const centres = placeInLayers(layers, ported, sizes);
  const top = centres.reduce((least, at, node) => Math.min(least, at - (heights[node] as number) / 2), Infinity);
  const columns = placeColumns(layers, nodes, ranks, ported, centres);
  const middle = (node: number) => (centres[node] as number) - top;
  const places = nodes.map((node, at): Placed => {
    const { left, right, flexible } = columns[ranks[at] as number] as Column;
    const width = node.isFlexible ? flexible : node.width;
    return { x: (left + right - width) / 2, y: middle(at) - node.height / 2, width, height: node.height };
  });
  const lines = ported.map((link): FlatLine => {
    const points = drawLink(link);
    const ends = [link.from, link.to].map((node) => (node < nodes.length ? node : undefined));
    if (!isBack[link.steps[0] as number]) return { points, steps: link.steps, from: ends[0], to: ends[1] };
    return { points: points.reverse(), steps: link.steps, from: ends[1], to: ends[0] };
  });
  return {
    nodes: places,
    lines,
    width: columns.at(-1)?.right ?? 0,
    height: ranks.reduce((most, _, node) => Math.max(most, middle(node) + (heights[node] as number) / 2), 0),
  };

  function drawLink({ from, to, out, in: into }: PortedLink): Point[] {
    const [start, end] = [columns[ranks[from] as number] as Column, columns[ranks[to] as number] as Column];
    const [y, z] = [middle(from) + out, middle(to) + into];
    const left = places[from];
    const right = places[to];
    return [
      { x: left ? left.x + left.width : start.right, y },
      { x: start.right, y },
      { x: end.left, y: z },
      { x: right ? right.x : end.right, y: z },
    ].filter((point, at, all) => point.x !== all[at - 1]?.x || point.y !== all[at - 1]?.y);
  }
}

function turnRound({ from, to, fromPort, toPort, kind }: Step): Step {
  return { from: to, to: from, fromPort: toPort, toPort: fromPort, kind: `${kind} back` };
}

/** What comes in stands before all layers, and what goes out behind them. */
function rankWithSides(nodes: readonly FlatNode[], steps: readonly Step[]): number[] {
  const inner = rankNodes(
    nodes.length,
    steps.flatMap(({ from, to }): Edge[] =>
      nodes[from]?.role === "box" && nodes[to]?.role === "box" ? [[from, to]] : [],
    ),
  );
  const shift = nodes.some(({ role }) => role === "in") ? 1 : 0;
  const last = nodes.reduce((most, { role }, at) => (role === "box" ? Math.max(most, inner[at] as number) : most), 0);
  return nodes.map(({ role }, at) =>
    role === "in" ? 0 : role === "out" ? last + shift + 1 : (inner[at] as number) + shift,
  );
}

interface Column {
  left: number;
  right: number;
  /** The width of its flexible nodes. */
  flexible: number;
}

function placeColumns(
  layers: readonly number[][],
  nodes: readonly FlatNode[],
  ranks: readonly number[],
  links: readonly PortedLink[],
  centres: Float64Array,
): Column[] {
  const climbs = layers.map(() => 0);
  for (const { from, to, out, in: into } of links) {
    const climb = Math.abs((centres[from] as number) + out - (centres[to] as number) - into);
    const layer = ranks[from] as number;
    climbs[layer] = Math.max(climbs[layer] as number, climb);
  }
  const isSide = (layer: readonly number[] | undefined) =>
    layer?.some((node) => (nodes[node]?.role ?? "box") !== "box") === true;
  let x = 0;
  return layers.map((layer, at) => {
    const width = Math.max(0, ...layer.map((node) => nodes[node]?.width ?? 0));
    const flexible = Math.max(0, ...layer.map((node) => (nodes[node]?.isFlexible ? nodes[node].width : 0)));
    const column = { left: x, right: x + width, flexible };
    const least = isSide(layer) || isSide(layers[at + 1]) ? SIDE_GAP : LAYER_GAP;
    x = column.right + Math.min(GAP_MAX, least + SLOPE * (climbs[at] as number));
    return column;
  });
}
