/** The layout of a graph with open groups: each group is laid out by itself, with the points at its sides where lines go through, and is then one node of what contains it. */

import { layOutFlat, type FlatLine, type FlatNode } from "./flat";
import { joinEdges, type Lifted } from "./joins";
import {
  type Direction,
  type Edge,
  type GraphLayout,
  type GraphRequest,
  LABEL_HEIGHT,
  type Line,
  type Placed,
  type Point,
  type Size,
} from "./layout";
import { type Level, shareSides, sortEdges, TOP } from "./levels";
import { packCells, packShelves } from "./pack";
import { findBlocks } from "./siblings";

const PADDING = 14;
const HEADER = 34;
const CELL_GAP = 12;
const BLOCK_PADDING = 10;
const PART_GAP = 28;

interface InnerLine extends Line {
  /** It begins at the left side of its group, or ends at the right one. */
  isFromSide: boolean;
  isToSide: boolean;
}

/** A group that is laid out; places are relative to its content. */
interface Content extends Size {
  members: number[];
  places: Point[];
  lines: InnerLine[];
  joins: Point[];
  labels: { edges: number[]; at: Point }[];
  /** By edge where it goes through the left and the right side of the group, in px below its top. */
  in: Map<number, number>;
  out: Map<number, number>;
}

const NO_EDGES: Level = { inner: [], out: [], in: [] };

export function layOutGraph(request: GraphRequest): GraphLayout {
  const layout = new GraphLayouter(request).run();
  return request.direction === "LR" ? layout : turnLayout(layout);
}

class GraphLayouter {
  private readonly count: number;
  private readonly blocks: number[][];
  /** By node, and behind them by block, the group that contains it. */
  private readonly parents: number[];
  private readonly sizes: Size[];
  private readonly children = new Map<number, number[]>();
  private readonly levels: Map<number, Level>;
  private readonly contents = new Map<number, Content>();
  private readonly aspect: number;
  /** The room before and above the content of a group. */
  private readonly inset: Point;

  constructor(private readonly request: GraphRequest) {
    const { nodes, edges, direction, aspect } = request;
    this.count = nodes.length;
    this.aspect = direction === "LR" ? aspect : 1 / aspect;
    this.inset = direction === "LR" ? { x: PADDING, y: HEADER } : { x: HEADER, y: PADDING };
    this.blocks = findBlocks(request);
    this.parents = nodes.map((node) => node.parent ?? TOP);
    this.sizes = nodes.map((node) => turnSize(node, direction));
    this.blocks.forEach((members, at) => {
      this.parents.push(this.parents[members[0] as number] as number);
      for (const member of members) this.parents[member] = this.count + at;
      this.sizes.push({ width: 0, height: 0 });
    });
    this.parents.forEach((parent, node) => {
      const list = this.children.get(parent);
      if (list) list.push(node);
      else this.children.set(parent, [node]);
    });
    this.levels = sortEdges(this.parents, edges);
  }

  run(): GraphLayout {
    this.blocks.forEach((members, at) => this.layOutBlock(this.count + at, members));
    for (let at = this.count - 1; at >= 0; at -= 1) if (this.request.nodes[at]?.isOpenGroup) this.layOutGroup(at);
    const top = this.layOutLevel(TOP);
    const all: GraphLayout = {
      nodes: this.request.nodes.map(() => ({ x: 0, y: 0, width: 0, height: 0 })),
      lines: [],
      blocks: [],
      joins: [],
      labels: this.request.edges.map(() => null),
      width: top.width,
      height: top.height,
    };
    this.put(all, top, { x: 0, y: 0 });
    return all;
  }

  private layOutBlock(block: number, members: number[]) {
    const width = Math.max(...members.map((node) => (this.sizes[node] as Size).width));
    for (const node of members) this.sizes[node] = { width, height: (this.sizes[node] as Size).height };
    const packed = packCells(
      members.map((node) => this.sizes[node] as Size),
      this.aspect,
      CELL_GAP,
    );
    this.sizes[block] = { width: packed.width + 2 * BLOCK_PADDING, height: packed.height + 2 * BLOCK_PADDING };
    const empty = { lines: [], joins: [], labels: [], in: new Map(), out: new Map() };
    this.contents.set(block, { ...packed, ...empty, members });
  }

  private layOutGroup(group: number) {
    const content = this.layOutLevel(group);
    const own = turnSize(this.request.nodes[group] as Size, this.request.direction);
    const { x, y } = this.inset;
    const size = { width: content.width + x + PADDING, height: content.height + y + PADDING };
    this.sizes[group] = { width: Math.max(size.width, own.width), height: Math.max(size.height, own.height) };
    this.contents.set(group, content);
    const right = (this.sizes[group] as Size).width - x;
    for (const { points, isFromSide, isToSide } of content.lines) {
      if (isFromSide) (points[0] as Point).x = -x;
      if (isToSide) (points.at(-1) as Point).x = right;
    }
  }

  private layOutLevel(group: number): Content {
    const members = this.children.get(group) ?? [];
    const level = this.levels.get(group) ?? NO_EDGES;
    const { edges } = this.request;
    const kindOf = (edge: number) => this.kindOf(edge);
    const sidesIn = shareSides(level.in, edges, 1, kindOf);
    const sidesOut = shareSides(level.out, edges, 0, kindOf);
    const nodes: FlatNode[] = members.map((node) => ({
      ...(this.sizes[node] as Size),
      role: "box",
      isFlexible: this.request.direction === "LR" && node < this.count && !this.isOpen(node),
    }));
    const firstIn = nodes.length;
    const firstOut = firstIn + new Set(sidesIn.values()).size;
    const firstJoin = firstOut + new Set(sidesOut.values()).size;
    const side = { width: 0, height: 0, isFlexible: false };
    while (nodes.length < firstOut) nodes.push({ ...side, role: "in" });
    while (nodes.length < firstJoin) nodes.push({ ...side, role: "out" });
    const lifted = this.lift(group, members, level, firstIn, firstOut, sidesIn, sidesOut);
    const { steps, joins } = joinEdges(lifted, nodes.length);
    for (let at = 0; at < joins; at += 1) nodes.push({ ...side, role: "box" });
    const firstLabel = nodes.length;
    const labelled = this.splitAtLabels(steps, nodes);
    const laidOut = layOutParts(nodes, labelled, this.aspect);
    members.forEach((node, at) => {
      const { width, height } = laidOut.nodes[at] as Placed;
      this.sizes[node] = { width, height };
    });
    const { y } = this.inset;
    const heights = (sides: Map<number, number>, first: number) =>
      new Map([...sides].map(([edge, at]) => [edge, (laidOut.nodes[first + at] as Point).y + y]));
    const isTarget = (node: number) => node < members.length && !this.isOpen(members[node] as number);
    return {
      members,
      places: laidOut.nodes.slice(0, members.length),
      lines: laidOut.lines.map(({ points, steps: parts, from, to }) => ({
        points,
        edges: parts.flatMap((part) => (labelled[part] as Lifted).edges),
        isEnd: to !== undefined && isTarget(to),
        isFromSide: from !== undefined && nodes[from]?.role === "in",
        isToSide: to !== undefined && nodes[to]?.role === "out",
      })),
      joins: laidOut.nodes.slice(firstJoin, firstLabel),
      labels: laidOut.nodes.slice(firstLabel).map((at, index) => {
        const size = nodes[firstLabel + index] as Size;
        const edgesOfIt = (labelled.find((step) => step.to === firstLabel + index) as Lifted).edges;
        return { edges: edgesOfIt, at: { x: at.x + size.width / 2, y: at.y + size.height / 2 } };
      }),
      in: heights(sidesIn, firstIn),
      out: heights(sidesOut, firstOut),
      width: laidOut.width,
      height: laidOut.height,
    };
  }

  /** The edges of a level between its members and its sides; those with the same ends are one. */
  private lift(
    group: number,
    members: readonly number[],
    level: Level,
    firstIn: number,
    firstOut: number,
    sidesIn: Map<number, number>,
    sidesOut: Map<number, number>,
  ): Lifted[] {
    const index = new Map(members.map((node, at) => [node, at]));
    const lifted = new Map<string, Lifted>();
    const add = (edge: number, from: number, to: number, fromPort?: number, toPort?: number) => {
      const kind = this.kindOf(edge);
      const key = `${from} ${fromPort ?? ""}>${to} ${toPort ?? ""} ${kind}`;
      const known = lifted.get(key);
      if (known) known.edges.push(edge);
      else lifted.set(key, { from, to, fromPort, toPort, kind, edges: [edge], label: 0 });
      const width = this.request.labels[edge] ?? 0;
      const step = lifted.get(key) as Lifted;
      if (level.inner.length > 0 && width > 0 && from < firstIn && to < firstIn) step.label = width;
    };
    const end = (edge: number, side: 0 | 1): [number, number | undefined] => {
      let node = (this.request.edges[edge] as Edge)[side];
      while (this.parents[node] !== group) node = this.parents[node] as number;
      const content = this.contents.get(node);
      return [index.get(node) as number, content?.[side === 0 ? "out" : "in"].get(edge)];
    };
    for (const edge of level.inner) {
      const [[from, fromPort], [to, toPort]] = [end(edge, 0), end(edge, 1)];
      add(edge, from, to, fromPort, toPort);
    }
    for (const edge of level.in) {
      const [to, toPort] = end(edge, 1);
      add(edge, firstIn + (sidesIn.get(edge) as number), to, undefined, toPort);
    }
    for (const edge of level.out) {
      const [from, fromPort] = end(edge, 0);
      add(edge, from, firstOut + (sidesOut.get(edge) as number), fromPort);
    }
    return [...lifted.values()];
  }

  /** A label is a node of its own between the ends of its edge. */
  private splitAtLabels(steps: readonly Lifted[], nodes: FlatNode[]): Lifted[] {
    return steps.flatMap((step) => {
      if (step.label === 0) return [step];
      const size = turnSize({ width: step.label, height: LABEL_HEIGHT }, this.request.direction);
      nodes.push({ ...size, role: "box", isFlexible: false });
      const middle = nodes.length - 1;
      return [
        { ...step, to: middle, toPort: undefined },
        { ...step, from: middle, fromPort: undefined },
      ];
    });
  }

  private put(all: GraphLayout, content: Content, by: Point) {
    const move = (point: Point) => ({ x: point.x + by.x, y: point.y + by.y });
    for (const { points, edges, isEnd } of content.lines) all.lines.push({ points: points.map(move), edges, isEnd });
    all.joins.push(...content.joins.map(move));
    for (const { edges, at } of content.labels) all.labels[edges[0] as number] = move(at);
    content.members.forEach((node, at) => {
      const place: Placed = { ...move(content.places[at] as Point), ...(this.sizes[node] as Size) };
      const isBlock = node >= this.count;
      if (isBlock) all.blocks.push(place);
      else all.nodes[node] = place;
      const inner = this.contents.get(node);
      const inset = isBlock ? { x: BLOCK_PADDING, y: BLOCK_PADDING } : this.inset;
      if (inner) this.put(all, inner, { x: place.x + inset.x, y: place.y + inset.y });
    });
  }

  private isOpen(node: number): boolean {
    return this.request.nodes[node]?.isOpenGroup === true;
  }

  private kindOf(edge: number): string {
    return `${this.request.kinds[edge] ?? ""}${this.request.labels[edge] ? `|${edge}` : ""}`;
  }
}

/** Parts that are not connected are laid out by themselves and packed; the one with the sides comes first. */
function layOutParts(nodes: readonly FlatNode[], steps: readonly Lifted[], aspect: number) {
  const part = findParts(nodes, steps);
  const parts = [...new Set(part)];
  const layouts = parts.map((one) => {
    const own = nodes.flatMap((_, at) => (part[at] === one ? [at] : []));
    const index = new Map(own.map((node, at) => [node, at]));
    const links = steps.flatMap((step, at) => (part[step.from] === one ? [at] : []));
    const layout = layOutFlat(
      own.map((node) => nodes[node] as FlatNode),
      links.map((at) => {
        const step = steps[at] as Lifted;
        return { ...step, from: index.get(step.from) as number, to: index.get(step.to) as number };
      }),
    );
    return { own, links, layout, hasSides: own.some((node) => nodes[node]?.role !== "box") };
  });
  layouts.sort((a, b) => Number(b.hasSides) - Number(a.hasSides));
  const main = layouts.filter(({ hasSides }) => hasSides);
  const rest = layouts.filter(({ hasSides }) => !hasSides);
  const packed = packShelves(
    rest.map(({ layout }) => layout),
    aspect,
    PART_GAP,
  );
  const below = main[0] ? main[0].layout.height + PART_GAP : 0;
  const places: Point[] = [
    ...main.map(() => ({ x: 0, y: 0 })),
    ...packed.places.map(({ x, y }) => ({ x, y: y + below })),
  ];
  const all = { nodes: [] as Placed[], lines: [] as FlatLine[] };
  [...main, ...rest].forEach(({ own, links, layout }, at) => {
    const by = places[at] as Point;
    const move = (point: Point) => ({ x: point.x + by.x, y: point.y + by.y });
    own.forEach((node, index) => {
      const place = layout.nodes[index] as Placed;
      all.nodes[node] = { ...place, ...move(place) };
    });
    for (const { points, steps: parts, from, to } of layout.lines)
      all.lines.push({
        points: points.map(move),
        steps: parts.map((step) => links[step] as number),
        from: from === undefined ? undefined : own[from],
        to: to === undefined ? undefined : own[to],
      });
  });
  const width = Math.max(packed.width, main[0]?.layout.width ?? 0);
  return { ...all, width, height: rest.length > 0 ? below + packed.height : (main[0]?.layout.height ?? 0) };
}

/** By node the number of its part: nodes between which lines lead. All sides of a group are in one. */
function findParts(nodes: readonly FlatNode[], steps: readonly Lifted[]): number[] {
  const leader = nodes.map((_, at) => at);
  const find = (node: number): number => {
    let at = node;
    while (leader[at] !== at) {
      leader[at] = leader[leader[at] as number] as number;
      at = leader[at] as number;
    }
    return at;
  };
  const sides = nodes.flatMap(({ role }, at) => (role === "box" ? [] : [at]));
  for (const [a, b] of [
    ...steps.map(({ from, to }): Edge => [from, to]),
    ...sides.map((at): Edge => [sides[0] as number, at]),
  ])
    leader[find(a)] = find(b);
  return nodes.map((_, at) => find(at));
}

function turnSize({ width, height }: Size, direction: Direction): Size {
  return direction === "LR" ? { width, height } : { width: height, height: width };
}

function turnPoint({ x, y }: Point): Point {
  return { x: y, y: x };
}

function turnPlaced({ x, y, width, height }: Placed): Placed {
  return { x: y, y: x, width: height, height: width };
}

function turnLayout(layout: GraphLayout): GraphLayout {
  return {
    nodes: layout.nodes.map(turnPlaced),
    lines: layout.lines.map((line) => ({ ...line, points: line.points.map(turnPoint) })),
    blocks: layout.blocks.map(turnPlaced),
    joins: layout.joins.map(turnPoint),
    labels: layout.labels.map((at) => at && turnPoint(at)),
    width: layout.height,
    height: layout.width,
  };
}
