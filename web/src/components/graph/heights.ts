/** Where in its layer each node stands: near its neighbours, in order, apart; long lines straight. */

import type { Link } from "./links";

const SWEEPS = 14;
const NODE_GAP = 18;
const BEND_GAP = 10;
const SNAP_PX = 30;
/** So many layers a graph has that is levelled: a shorter one does not slope far. */
const LEVELLED_MIN = 8;

/** A link with the heights of its ends, relative to the middle of its nodes. */
export interface PortedLink extends Link {
  out: number;
  in: number;
}

export interface Heights {
  heights: readonly number[];
  /** Nodes from this one on are bends. */
  real: number;
}

const PORT_STEP = 14;
const PORT_MARGIN = 16;

/** Where the links leave and enter their nodes: in the order of their other ends, so that they do not cross at the node. */
export function assignPorts(
  layers: readonly number[][],
  links: readonly Link[],
  { heights, real }: Heights,
): PortedLink[] {
  const place: number[] = [];
  for (const layer of layers)
    layer.forEach((node, at) => {
      place[node] = at;
    });
  const ported = links.map((link): PortedLink => ({ ...link, out: 0, in: 0 }));
  for (const [side, own, other] of [
    ["out", "from", "to"],
    ["in", "to", "from"],
  ] as const) {
    const byNode = new Map<number, PortedLink[]>();
    for (const link of ported) {
      const port = side === "out" ? link.fromPort : link.toPort;
      const node = link[own];
      if (port !== undefined) link[side] = port - (heights[node] as number) / 2;
      else if (node < real) byNode.set(node, [...(byNode.get(node) ?? []), link]);
    }
    for (const [node, list] of byNode) {
      const room = Math.max(0, (heights[node] as number) - PORT_MARGIN);
      const step = list.length < 2 ? 0 : Math.min(PORT_STEP, room / (list.length - 1));
      list
        .sort((a, b) => (place[a[other]] as number) - (place[b[other]] as number))
        .forEach((link, at) => {
          link[side] = (at - (list.length - 1) / 2) * step;
        });
    }
  }
  return ported;
}

/** The middle of each node. */
export function placeInLayers(layers: readonly number[][], links: readonly PortedLink[], sizes: Heights): Float64Array {
  const { heights, real } = sizes;
  const centre = new Float64Array(heights.length);
  const near = listPulls(links, sizes);
  const apart = (a: number, b: number) =>
    ((heights[a] as number) + (heights[b] as number)) / 2 +
    (heights[a] === 0 && heights[b] === 0 ? BEND_GAP : NODE_GAP);
  for (const layer of layers)
    layer.forEach((node, at) => {
      const above = layer[at - 1];
      centre[node] = above === undefined ? 0 : (centre[above] as number) + apart(above, node);
    });
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const isLast = sweep >= SWEEPS - 3;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      const pulls = layer.map((node) => {
        const { before, next } = near[node] as Pulls;
        return sumPulls(isLast ? [...before, ...next] : isDown ? before : next, centre, centre[node] as number);
      });
      spread(layer, pulls, apart).forEach((at, index) => {
        centre[layer[index] as number] = at;
      });
    }
  }
  levelOut(layers, centre);
  const room = new Room(layers, centre, apart);
  straightenTrunks(links, real, centre, room);
  snapToNeighbours(layers, near, centre, room);
  straightenTrunks(links, real, centre, room);
  return centre;
}

/** Lines that pass a layer by, all on the same side, pull each next layer a little further down: a long graph would slope. */
function levelOut(layers: readonly number[][], centre: Float64Array): void {
  const middles = layers.map(
    (layer) => ((centre[layer[0] as number] as number) + (centre[layer.at(-1) as number] as number)) / 2,
  );
  const mean = middles.reduce((sum, middle) => sum + middle, 0) / middles.length;
  const half = (layers.length - 1) / 2;
  const spreads = middles.map((middle, at) => [at - half, middle - mean] as const);
  const slope = spreads.reduce((sum, [x, y]) => sum + x * y, 0) / spreads.reduce((sum, [x]) => sum + x * x, 0);
  if (layers.length < LEVELLED_MIN || Math.abs(slope) > NODE_GAP) return;
  layers.forEach((layer, at) => {
    for (const node of layer) centre[node] = (centre[node] as number) - slope * (at - half);
  });
}

interface Pull {
  node: number;
  /** Where the neighbour wants this node, relative to its own middle. */
  shift: number;
  weight: number;
}

interface Pulls {
  before: Pull[];
  next: Pull[];
}

function listPulls(links: readonly PortedLink[], { heights, real }: Heights): Pulls[] {
  const near = heights.map((): Pulls => ({ before: [], next: [] }));
  for (const link of links) {
    const weight = link.from >= real && link.to >= real ? 8 : link.from >= real || link.to >= real ? 2 : 1;
    near[link.to]?.before.push({ node: link.from, shift: link.out - link.in, weight });
    near[link.from]?.next.push({ node: link.to, shift: link.in - link.out, weight });
  }
  return near;
}

function sumPulls(pulls: readonly Pull[], centre: Float64Array, otherwise: number): { wanted: number; weight: number } {
  let [sum, weight] = [0, 0];
  for (const pull of pulls) {
    sum += ((centre[pull.node] as number) + pull.shift) * pull.weight;
    weight += pull.weight;
  }
  return weight === 0 ? { wanted: otherwise, weight: 0.1 } : { wanted: sum / weight, weight };
}

/** Places nearest to the wanted ones (least squares) that keep order and distance: neighbours that collide move as one block. */
function spread(
  layer: readonly number[],
  pulls: readonly { wanted: number; weight: number }[],
  apart: (a: number, b: number) => number,
): number[] {
  const offset: number[] = [];
  const blocks: { sum: number; weight: number; from: number }[] = [];
  layer.forEach((node, at) => {
    offset[at] = at === 0 ? 0 : (offset[at - 1] as number) + apart(layer[at - 1] as number, node);
    const { wanted, weight } = pulls[at] as { wanted: number; weight: number };
    blocks.push({ sum: (wanted - (offset[at] as number)) * weight, weight, from: at });
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

/** How far each node can move without coming too near to the ones above and below it. */
class Room {
  private readonly above = new Map<number, number>();
  private readonly below = new Map<number, number>();

  constructor(
    layers: readonly number[][],
    private readonly centre: Float64Array,
    private readonly apart: (a: number, b: number) => number,
  ) {
    for (const layer of layers)
      layer.forEach((node, at) => {
        if (at > 0) this.above.set(node, layer[at - 1] as number);
        if (at + 1 < layer.length) this.below.set(node, layer[at + 1] as number);
      });
  }

  of(node: number): [number, number] {
    const [above, below] = [this.above.get(node), this.below.get(node)];
    return [
      above === undefined ? -Infinity : (this.centre[above] as number) + this.apart(above, node),
      below === undefined ? Infinity : (this.centre[below] as number) - this.apart(node, below),
    ];
  }

  has(node: number, at: number): boolean {
    const [least, most] = this.of(node);
    return at >= least && at <= most;
  }
}

/** Bends that follow each other get the same height where all of them have room there: that of an end of the line, if it can be. */
function straightenTrunks(links: readonly PortedLink[], real: number, centre: Float64Array, room: Room): void {
  const next = new Map<number, number>();
  const starts = new Map<number, number[]>();
  const ends = new Map<number, number[]>();
  for (const { from, to, out, in: into } of links) {
    if (from >= real && to >= real) next.set(from, to);
    else if (to >= real) starts.set(to, [...(starts.get(to) ?? []), (centre[from] as number) + out]);
    else if (from >= real) ends.set(from, [...(ends.get(from) ?? []), (centre[to] as number) + into]);
  }
  const later = new Set(next.values());
  for (let first = real; first < centre.length; first += 1) {
    if (later.has(first)) continue;
    let trunk: number[] = [];
    for (let node: number | undefined = first; node !== undefined; node = next.get(node)) trunk.push(node);
    while (trunk.length > 0) trunk = trunk.slice(straightenPart(trunk, starts, ends, centre, room));
  }
}

/** Straightens as many bends from the first on as can be at one height; how many. */
function straightenPart(
  trunk: readonly number[],
  starts: Map<number, number[]>,
  ends: Map<number, number[]>,
  centre: Float64Array,
  room: Room,
): number {
  let [least, most, count] = [-Infinity, Infinity, 0];
  for (const node of trunk) {
    const [low, high] = room.of(node);
    if (Math.max(least, low) > Math.min(most, high)) break;
    [least, most, count] = [Math.max(least, low), Math.min(most, high), count + 1];
  }
  if (count === 0) return 1;
  const part = trunk.slice(0, count);
  const wishes = part.flatMap((node) => [...(starts.get(node) ?? []), ...(ends.get(node) ?? [])]);
  const middle = part.reduce((sum, node) => sum + (centre[node] as number), 0) / count;
  const wish = wishes
    .filter((one) => one >= least && one <= most)
    .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  const at = wish ?? Math.min(most, Math.max(least, middle));
  for (const node of part) centre[node] = at;
  return count;
}

/** A node that stands nearly as high as a neighbour gets its height, so that the line between them is straight. */
function snapToNeighbours(layers: readonly number[][], near: readonly Pulls[], centre: Float64Array, room: Room): void {
  for (const [list, side] of [
    [layers, "before"],
    [[...layers].reverse(), "next"],
  ] as const)
    for (const layer of list)
      for (const node of layer) {
        const own = near[node] as Pulls;
        if (side === "next" && own.before.length > 0) continue;
        const at = centre[node] as number;
        const wishes = own[side]
          .map((pull) => (centre[pull.node] as number) + pull.shift)
          .filter((wish) => Math.abs(wish - at) < SNAP_PX && room.has(node, wish))
          .sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
        if (wishes[0] !== undefined) centre[node] = wishes[0];
      }
}
