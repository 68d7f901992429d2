/** A layered layout of a directed graph without groups, from left to right: layers, order within each against crossings, places. */

import type { GraphBox as Size, Point } from "./layout";
import { breakCycles, type Edge, listSuccessors, rankNodes } from "./ranks";

export type { GraphBox as Size, Point } from "./layout";

export interface Layered {
  /** The top left corner of each node. */
  nodes: Point[];
  /** For each edge the points between its ends, where it passes other layers. */
  bends: Point[][];
  width: number;
  height: number;
}

const LAYER_GAP = 56;
const NODE_GAP = 14;
const BEND_GAP = 8;
const ORDER_SWEEPS = 12;
const PLACE_SWEEPS = 8;
/** More nodes without an edge than this stand in a block instead of one below the other. */
const LOOSE_MAX = 6;

export function layOutLayers(sizes: readonly Size[], edges: readonly Edge[]): Layered {
  const linked = new Set(edges.flat());
  const loose = sizes.map((_, node) => node).filter((node) => !linked.has(node));
  if (loose.length <= LOOSE_MAX) return layOutLinked(sizes, edges);
  const kept = sizes.map((_, node) => node).filter((node) => linked.has(node));
  const index = new Map(kept.map((node, at) => [node, at]));
  const main = layOutLinked(
    kept.map((node) => sizes[node] as Size),
    edges.map(([from, to]): Edge => [index.get(from) as number, index.get(to) as number]),
  );
  const nodes: Point[] = [];
  kept.forEach((node, at) => {
    nodes[node] = main.nodes[at] as Point;
  });
  const block = placeBlock(
    loose.map((node) => sizes[node] as Size),
    kept.length > 0 ? main.height + LAYER_GAP / 2 : 0,
  );
  loose.forEach((node, at) => {
    nodes[node] = block.nodes[at] as Point;
  });
  return { nodes, bends: main.bends, width: Math.max(main.width, block.width), height: block.height };
}

/** Nodes without edges, in columns of a block that is about twice as wide as high. */
function placeBlock(sizes: readonly Size[], top: number): { nodes: Point[]; width: number; height: number } {
  const columns = Math.max(1, Math.round(Math.sqrt(sizes.length / 2)));
  const width = Math.max(...sizes.map((size) => size.width)) + NODE_GAP;
  const height = Math.max(...sizes.map((size) => size.height)) + NODE_GAP;
  const nodes = sizes.map((_, at) => ({ x: (at % columns) * width, y: top + Math.floor(at / columns) * height }));
  return {
    nodes,
    width: columns * width - NODE_GAP,
    height: top + Math.ceil(sizes.length / columns) * height - NODE_GAP,
  };
}

function layOutLinked(sizes: readonly Size[], given: readonly Edge[]): Layered {
  const count = sizes.length;
  const edges = breakCycles(count, given);
  const rank = rankNodes(count, edges);
  const chains = splitLongEdges(count, edges, rank);
  const layers = orderLayers(chains.ranks, chains.parts);
  const heights = chains.ranks.map((_, node) => (node < count ? (sizes[node] as Size).height : 0));
  const centres = placeInLayers(layers, chains.parts, heights, count);
  const lefts: number[] = [];
  let x = 0;
  const widths = layers.map((layer) =>
    Math.max(0, ...layer.map((node) => (node < count ? (sizes[node] as Size).width : 0))),
  );
  widths.forEach((width, layer) => {
    lefts[layer] = x;
    x += width + LAYER_GAP;
  });
  const middle = (node: number) =>
    (lefts[chains.ranks[node] as number] as number) + (widths[chains.ranks[node] as number] as number) / 2;
  const nodes = sizes.map((size, node) => ({
    x: middle(node) - size.width / 2,
    y: (centres[node] as number) - size.height / 2,
  }));
  const bends = chains.bends.map((bend, at) => {
    const points = bend.map((node) => ({ x: middle(node), y: centres[node] as number }));
    return (edges[at] as Edge)[0] === (given[at] as Edge)[0] ? points : points.reverse();
  });
  return {
    nodes,
    bends,
    width: Math.max(0, x - LAYER_GAP),
    height: Math.max(0, ...nodes.map((node, at) => node.y + (sizes[at] as Size).height)),
  };
}

interface Chains {
  ranks: number[];
  /** Edges between neighbouring layers. */
  parts: Edge[];
  /** For each edge its bends, as numbers of nodes behind the real ones. */
  bends: number[][];
}

function splitLongEdges(count: number, edges: readonly Edge[], rank: Int32Array): Chains {
  const ranks = Array.from(rank);
  const parts: Edge[] = [];
  const bends = edges.map(([from, to]) => {
    const bend: number[] = [];
    let last = from;
    for (let layer = (rank[from] as number) + 1; layer < (rank[to] as number); layer += 1) {
      ranks.push(layer);
      bend.push(ranks.length - 1);
      parts.push([last, ranks.length - 1]);
      last = ranks.length - 1;
    }
    parts.push([last, to]);
    return bend;
  });
  void count;
  return { ranks, parts, bends };
}

/** The nodes of each layer in an order with few crossings: sweeps to and fro by the mean place of the neighbours; the best order is kept. */
function orderLayers(ranks: readonly number[], parts: readonly Edge[]): number[][] {
  const next = listSuccessors(ranks.length, parts);
  const before = listSuccessors(
    ranks.length,
    parts.map(([from, to]): Edge => [to, from]),
  );
  let layers = startLayers(ranks, next, before);
  const place = new Float64Array(ranks.length);
  const number = () =>
    layers.forEach((layer) =>
      layer.forEach((node, at) => {
        place[node] = at;
      }),
    );
  number();
  let best = layers.map((layer) => [...layer]);
  let fewest = countCrossings(layers, next, place);
  for (let sweep = 0; sweep < ORDER_SWEEPS && fewest > 0; sweep += 1) {
    const down = sweep % 2 === 0;
    const order = down ? layers.map((_, at) => at) : layers.map((_, at) => layers.length - 1 - at);
    for (const at of order) {
      const layer = layers[at] as number[];
      const near = down ? before : next;
      const wanted = new Map(
        layer.map((node) => [
          node,
          mean(
            (near[node] as number[]).map((one) => place[one] as number),
            place[node] as number,
          ),
        ]),
      );
      layer.sort(
        (a, b) => (wanted.get(a) as number) - (wanted.get(b) as number) || (place[a] as number) - (place[b] as number),
      );
      layer.forEach((node, index) => {
        place[node] = index;
      });
    }
    const crossings = countCrossings(layers, next, place);
    if (crossings < fewest) {
      fewest = crossings;
      best = layers.map((layer) => [...layer]);
    }
  }
  layers = best;
  return layers;
}

/** Depth first from the sources, so that what belongs together begins together. */
function startLayers(ranks: readonly number[], next: number[][], before: number[][]): number[][] {
  const layers: number[][] = Array.from(
    { length: ranks.reduce((most, rank) => Math.max(most, rank), -1) + 1 },
    () => [],
  );
  const seen = new Uint8Array(ranks.length);
  const visit = (root: number) => {
    const stack = [root];
    while (stack.length > 0) {
      const node = stack.pop() as number;
      if (seen[node]) continue;
      seen[node] = 1;
      layers[ranks[node] as number]?.push(node);
      for (const target of [...(next[node] as number[])].reverse()) if (!seen[target]) stack.push(target);
    }
  };
  ranks.forEach((_, node) => {
    if ((before[node] as number[]).length === 0) visit(node);
  });
  ranks.forEach((_, node) => visit(node));
  return layers;
}

function countCrossings(layers: number[][], next: number[][], place: Float64Array): number {
  let crossings = 0;
  layers.forEach((layer, at) => {
    const width = layers[at + 1]?.length ?? 0;
    const tree = new Int32Array(width + 1);
    let seen = 0;
    for (const node of layer) {
      const targets = (next[node] as number[]).map((one) => place[one] as number).sort((a, b) => a - b);
      for (const target of targets) {
        let smaller = 0;
        for (let one = target + 1; one > 0; one -= one & -one) smaller += tree[one] as number;
        crossings += seen - smaller;
      }
      for (const target of targets) {
        seen += 1;
        for (let one = target + 1; one <= width; one += one & -one) tree[one] = (tree[one] as number) + 1;
      }
    }
  });
  return crossings;
}

/** The middle of each node within its layer: near its neighbours, in order, apart. */
function placeInLayers(
  layers: number[][],
  parts: readonly Edge[],
  heights: readonly number[],
  real: number,
): Float64Array {
  const next = listSuccessors(heights.length, parts);
  const before = listSuccessors(
    heights.length,
    parts.map(([from, to]): Edge => [to, from]),
  );
  const centre = new Float64Array(heights.length);
  const apart = (a: number, b: number) =>
    ((heights[a] as number) + (heights[b] as number)) / 2 + (a >= real && b >= real ? BEND_GAP : NODE_GAP);
  for (const layer of layers)
    layer.forEach((node, at) => {
      centre[node] = at === 0 ? 0 : (centre[layer[at - 1] as number] as number) + apart(layer[at - 1] as number, node);
    });
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    const order = down ? layers : [...layers].reverse();
    for (const layer of order) {
      const near =
        sweep >= PLACE_SWEEPS - 2
          ? (node: number) => [...(before[node] as number[]), ...(next[node] as number[])]
          : (node: number) => (down ? before : next)[node] as number[];
      const wanted = layer.map((node) =>
        mean(
          near(node).map((one) => centre[one] as number),
          centre[node] as number,
        ),
      );
      spread(layer, wanted, apart, (node) => (node >= real ? 4 : 1 + near(node).length)).forEach((at, index) => {
        centre[layer[index] as number] = at;
      });
    }
  }
  const top = centre.reduce((least, at, node) => Math.min(least, at - (heights[node] as number) / 2), Infinity);
  return Number.isFinite(top) ? centre.map((at) => at - top) : centre;
}

/** Places nearest to the wanted ones (least squares) that keep order and distance: neighbours that collide move as one block. */
function spread(
  layer: number[],
  wanted: number[],
  apart: (a: number, b: number) => number,
  weigh: (node: number) => number,
): number[] {
  const offset: number[] = [];
  const blocks: { sum: number; weight: number; from: number }[] = [];
  layer.forEach((node, at) => {
    offset[at] = at === 0 ? 0 : (offset[at - 1] as number) + apart(layer[at - 1] as number, node);
    const weight = weigh(node);
    blocks.push({ sum: ((wanted[at] as number) - (offset[at] as number)) * weight, weight, from: at });
    for (;;) {
      const last = blocks[blocks.length - 1] as (typeof blocks)[number];
      const previous = blocks[blocks.length - 2];
      if (!previous || previous.sum / previous.weight <= last.sum / last.weight) break;
      blocks.pop();
      previous.sum += last.sum;
      previous.weight += last.weight;
    }
  });
  const places: number[] = [];
  blocks.forEach((block, index) => {
    const end = blocks[index + 1]?.from ?? layer.length;
    for (let at = block.from; at < end; at += 1) places[at] = block.sum / block.weight + (offset[at] as number);
  });
  return places;
}

function mean(values: number[], otherwise: number): number {
  return values.length === 0 ? otherwise : values.reduce((sum, value) => sum + value, 0) / values.length;
}
