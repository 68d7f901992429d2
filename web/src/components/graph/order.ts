/** The nodes of each layer in an order with few crossings: sweeps by the mean place of the neighbours, then exchanges of neighbours. The best order is kept. */

import type { Link } from "./links";

const SWEEPS = 16;
const EXCHANGES = 6;
/** With more links than this, only the sweeps are done. */
const EXCHANGED_MAX = 12_000;
/** Further orders to begin with: as many as make this number of links, so that small graphs get the most. */
const TRIED_LINKS = 3_000;
const TRIES_MAX = 12;

interface End {
  node: number;
  /** Where on its side, from -0.5 at the top to 0.5. */
  at: number;
}

export class LayerOrder {
  layers: number[][];
  private readonly place: Float64Array;
  private readonly before: End[][];
  private readonly next: End[][];

  constructor(
    ranks: readonly number[],
    private readonly links: readonly Link[],
    heights: readonly number[],
  ) {
    const end = (node: number, port: number | undefined): End => ({
      node,
      at: port === undefined ? 0 : port / Math.max(1, heights[node] as number) - 0.5,
    });
    this.place = new Float64Array(ranks.length);
    this.before = ranks.map(() => []);
    this.next = ranks.map(() => []);
    for (const { from, to, fromPort, toPort } of links) {
      this.next[from]?.push(end(to, toPort));
      this.before[to]?.push(end(from, fromPort));
    }
    this.ports = links.map(({ from, to, fromPort, toPort }) => [end(from, fromPort).at, end(to, toPort).at]);
    this.layers = this.start(ranks);
  }

  private readonly ports: [number, number][];

  /** The layers in the order that has the fewest crossings. */
  improve(): number[][] {
    let best = this.descend();
    const tries = Math.min(TRIES_MAX, Math.floor(TRIED_LINKS / Math.max(1, this.links.length)));
    for (let at = 0; at < tries && best.crossings > 0; at += 1) {
      this.shuffle(at);
      const other = this.descend();
      if (other.crossings < best.crossings) best = other;
    }
    this.layers = best.layers;
    return this.layers;
  }

  /** Sweeps and exchanges from the present order on, until they find no better one. */
  private descend(): { layers: number[][]; crossings: number } {
    let best = this.copy();
    let fewest = this.countCrossings();
    let idle = 0;
    for (let sweep = 0; sweep < SWEEPS && fewest > 0 && idle < 4; sweep += 1) {
      this.sweep(sweep % 2 === 0, sweep % 4 < 2);
      const crossings = this.countCrossings();
      idle = crossings < fewest ? 0 : idle + 1;
      if (crossings < fewest) [fewest, best] = [crossings, this.copy()];
    }
    this.layers = best;
    this.number();
    if (fewest > 0 && this.links.length <= EXCHANGED_MAX) {
      for (let pass = 0; pass < EXCHANGES && this.exchange(); pass += 1);
      fewest = this.countCrossings();
    }
    return { layers: this.copy(), crossings: fewest };
  }

  /** Another order to begin with, always the same for the same number. */
  private shuffle(number: number) {
    let seed = 7919 * (number + 1);
    for (const layer of this.layers)
      for (let at = layer.length - 1; at > 0; at -= 1) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        const other = Math.floor((seed / 2_147_483_648) * (at + 1));
        [layer[at], layer[other]] = [layer[other] as number, layer[at] as number];
      }
    this.number();
  }

  countCrossings(): number {
    const byLayer = new Map<number, [number, number][]>();
    this.links.forEach(({ from, to }, at) => {
      const layer = this.layerOf[from] as number;
      const pairs = byLayer.get(layer) ?? [];
      byLayer.set(layer, pairs);
      const [a, b] = this.ports[at] as [number, number];
      pairs.push([(this.place[from] as number) + a * 0.9, (this.place[to] as number) + b * 0.9]);
    });
    let crossings = 0;
    for (const pairs of byLayer.values()) {
      pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      crossings += countInversions(pairs.map(([, to]) => to));
    }
    return crossings;
  }

  private layerOf: number[] = [];

  /** Depth first from the sources, so that what belongs together begins together. */
  private start(ranks: readonly number[]): number[][] {
    this.layerOf = [...ranks];
    const layers: number[][] = Array.from({ length: Math.max(-1, ...ranks) + 1 }, () => []);
    const seen = new Uint8Array(ranks.length);
    const visit = (root: number) => {
      const stack = [root];
      for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
        if (seen[node]) continue;
        seen[node] = 1;
        layers[ranks[node] as number]?.push(node);
        for (const { node: target } of [...(this.next[node] as End[])].reverse()) if (!seen[target]) stack.push(target);
      }
    };
    ranks.forEach((_, node) => {
      if ((this.before[node] as End[]).length === 0) visit(node);
    });
    ranks.forEach((_, node) => visit(node));
    this.layers = layers;
    this.number();
    return layers;
  }

  private number() {
    for (const layer of this.layers)
      layer.forEach((node, at) => {
        this.place[node] = at;
      });
  }

  private copy() {
    return this.layers.map((layer) => [...layer]);
  }

  /** `isStable`: nodes with the same mean keep their order; else they are turned round, which leaves local minima. */
  private sweep(isDown: boolean, isStable: boolean) {
    const order = isDown ? this.layers : [...this.layers].reverse();
    const near = isDown ? this.before : this.next;
    const wanted = new Float64Array(this.place.length);
    for (const layer of order) {
      for (const node of layer) wanted[node] = this.mean(near[node] as End[], this.place[node] as number);
      layer.sort(
        (a, b) =>
          (wanted[a] as number) - (wanted[b] as number) ||
          (isStable ? 1 : -1) * ((this.place[a] as number) - (this.place[b] as number)),
      );
      layer.forEach((node, at) => {
        this.place[node] = at;
      });
    }
  }

  private mean(ends: readonly End[], otherwise: number): number {
    if (ends.length === 0) return otherwise;
    let sum = 0;
    for (const { node, at } of ends) sum += (this.place[node] as number) + at * 0.9;
    return sum / ends.length;
  }

  /** Exchanges neighbours where that has fewer crossings; whether any was exchanged. */
  private exchange(): boolean {
    let isBetter = false;
    for (const layer of this.layers)
      for (let at = 0; at + 1 < layer.length; at += 1) {
        const [a, b] = [layer[at] as number, layer[at + 1] as number];
        const kept = this.crossingsOf(a, b);
        if (kept === 0 || this.crossingsOf(b, a) >= kept) continue;
        [layer[at], layer[at + 1]] = [b, a];
        [this.place[a], this.place[b]] = [at + 1, at];
        isBetter = true;
      }
    return isBetter;
  }

  /** Crossings of the links of two neighbours, if `a` is above `b`. */
  private crossingsOf(a: number, b: number): number {
    let crossings = 0;
    for (const lists of [this.before, this.next])
      for (const one of lists[a] as End[]) {
        const high = (this.place[one.node] as number) + one.at * 0.9;
        for (const other of lists[b] as End[])
          if ((this.place[other.node] as number) + other.at * 0.9 < high) crossings += 1;
      }
    return crossings;
  }
}

function countInversions(values: number[]): number {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const index = new Map(sorted.map((value, at) => [value, at]));
  const tree = new Int32Array(sorted.length + 1);
  let inversions = 0;
  values.forEach((value, seen) => {
    const at = (index.get(value) as number) + 1;
    let smaller = 0;
    for (let one = at; one > 0; one -= one & -one) smaller += tree[one] as number;
    inversions += seen - smaller;
    for (let one = at; one <= sorted.length; one += one & -one) tree[one] = (tree[one] as number) + 1;
  });
  return inversions;
}
