import { expect, test } from "vitest";
import { chooseLayout } from "./chooseLayout";
import { layOutGraph } from "./layOutGraph";
import type { Direction, Edge, GraphLayout, GraphNode, GraphRequest, Placed, Point } from "./layout";
import { packCells, packShelves } from "./pack";
import { findBackEdges, rankNodes } from "./ranks";

const SIZE = { width: 100, height: 40 };
const leaf = (parent: number | null = null, size = SIZE): GraphNode => ({ ...size, parent, isOpenGroup: false });
const group = (parent: number | null = null): GraphNode => ({ ...SIZE, parent, isOpenGroup: true });
const leaves = (count: number) => Array.from({ length: count }, () => leaf());
const ask = (nodes: GraphNode[], edges: Edge[], direction: Direction = "LR"): GraphRequest => ({
  nodes,
  edges,
  kinds: [],
  labels: [],
  direction,
  aspect: 1.8,
});

function random(seed: number) {
  let state = seed * 7919;
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

/** A graph of groups in groups, some of them folded, with long and short edges, names of different lengths and circles between groups. */
function makeGraph(seed: number): GraphRequest {
  const next = random(seed);
  const nodes: GraphNode[] = [];
  const targets: number[] = [];
  const parents: (number | null)[] = [null];
  for (let at = 0; at < 10 + next(60); at += 1) {
    const parent = parents[next(parents.length)] ?? null;
    if (next(6) === 0) parents.push(nodes.push(group(parent)) - 1);
    else targets.push(nodes.push(leaf(parent, { width: 80 + next(120), height: 30 + next(50) })) - 1);
  }
  const edges = new Map<string, Edge>();
  for (let at = 0; at < targets.length * 1.6; at += 1) {
    const [from, to] = [next(targets.length), next(targets.length)].sort((a, b) => a - b) as [number, number];
    if (from !== to) edges.set(`${from} ${to}`, [targets[from] as number, targets[to] as number]);
  }
  return ask(nodes, [...edges.values()], seed % 2 === 0 ? "LR" : "TB");
}

/** Points along a line as it is drawn: straight, or a curve that leaves and enters along the direction. */
function trace(points: readonly Point[], direction: Direction): Point[] {
  const turn = ({ x, y }: Point) => (direction === "LR" ? { x, y } : { x: y, y: x });
  const traced = points.map(turn);
  return traced.slice(1).flatMap((end, at) => {
    const start = traced[at] as Point;
    return Array.from({ length: 21 }, (_, step) => {
      const t = step / 20;
      const bow = 3 * t * t - 2 * t ** 3;
      const half = (end.x - start.x) / 2;
      const u = 1 - t;
      const x = u ** 3 * start.x + 3 * u * u * t * (start.x + half) + 3 * u * t * t * (end.x - half) + t ** 3 * end.x;
      return turn({ x, y: start.y + (end.y - start.y) * bow });
    });
  });
}

const contains = (box: Placed, { x, y }: Point) =>
  x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1;
const isWithin = (inner: Placed, outer: Placed) =>
  inner.x > outer.x - 0.01 &&
  inner.y > outer.y - 0.01 &&
  inner.x + inner.width < outer.x + outer.width + 0.01 &&
  inner.y + inner.height < outer.y + outer.height + 0.01;
const overlap = (a: Placed, b: Placed) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function ancestorsOf(nodes: GraphNode[], at: number): number[] {
  const above = [at];
  for (let parent = nodes[at]?.parent ?? null; parent !== null; parent = nodes[parent]?.parent ?? null)
    above.push(parent);
  return above;
}

function findFaults({ nodes, edges, direction }: GraphRequest, layout: GraphLayout): string[] {
  const faults: string[] = [];
  for (const line of layout.lines)
    for (const point of trace(line.points, direction))
      nodes.forEach((node, at) => {
        if (!contains(layout.nodes[at] as Placed, point)) return;
        const isOwn =
          node.isOpenGroup &&
          line.edges.some((edge) => (edges[edge] as Edge).some((end) => ancestorsOf(nodes, end).includes(at)));
        if (!isOwn) faults.push(`a line goes through node ${at}`);
      });
  nodes.forEach((node, at) => {
    const place = layout.nodes[at] as Placed;
    if (node.parent !== null && !isWithin(place, layout.nodes[node.parent] as Placed))
      faults.push(`${at} is outside of its group`);
    if (!isWithin(place, { x: 0, y: 0, width: layout.width, height: layout.height })) faults.push(`${at} is outside`);
    nodes.slice(at + 1).forEach((_, index) => {
      const other = at + 1 + index;
      if (ancestorsOf(nodes, other).includes(at)) return;
      if (overlap(place, layout.nodes[other] as Placed)) faults.push(`${at} covers ${other}`);
    });
  });
  return [...new Set(faults)];
}

test("no line goes through a node and no node covers another, whatever the graph is", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const request = makeGraph(seed);
    expect(findFaults(request, layOutGraph(request)), `graph ${seed}`).toEqual([]);
  }
});

test("every edge is drawn from its first to its last node, over groups, joins and blocks", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const { edges, lines } = { ...makeGraph(seed), ...layOutGraph(makeGraph(seed)) };
    edges.forEach((_, edge) => {
      const own = lines.filter((line) => line.edges.includes(edge));
      expect(own.filter((line) => line.isEnd)).toHaveLength(1);
    });
  }
});

test("an edge past other layers goes straight beside their nodes", () => {
  const request = ask(leaves(4), [
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 3],
  ]);
  const layout = layOutGraph(request);
  const long = layout.lines.filter(({ edges }) => edges.includes(3)).flatMap(({ points }) => points);
  const beside = long.filter(({ x }) => x > (layout.nodes[1]?.x ?? 0) && x < (layout.nodes[2]?.x ?? 0) + SIZE.width);
  expect(new Set(beside.map(({ y }) => y)).size).toBe(1);
  expect(findFaults(request, layout)).toEqual([]);
});

test("lines leave and enter a node in the order of their other ends", () => {
  const { nodes, lines } = layOutGraph(
    ask(leaves(7), [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 5],
      [4, 6],
    ]),
  );
  const ports = (isOut: boolean, node: number) =>
    lines
      .filter(
        ({ points }) =>
          points[isOut ? 0 : points.length - 1]?.x === (nodes[node]?.x ?? 0) + (isOut ? (nodes[node]?.width ?? 0) : 0),
      )
      .map(({ points }) => [points[0]?.y, points.at(-1)?.y] as [number, number])
      .sort((a, b) => (isOut ? a[1] - b[1] : a[0] - b[0]))
      .map(([start, end]) => (isOut ? start : end));
  for (const list of [ports(true, 0), ports(false, 4)]) {
    expect(new Set(list).size).toBe(3);
    expect(list).toEqual([...list].sort((a, b) => a - b));
  }
});

test("two chains do not cross", () => {
  const { nodes } = layOutGraph(
    ask(leaves(4), [
      [0, 3],
      [1, 2],
      [0, 2],
    ]),
  );
  expect((nodes[0]?.y ?? 0) < (nodes[1]?.y ?? 0)).toBe((nodes[3]?.y ?? 0) < (nodes[2]?.y ?? 0));
});

test("a wall of equal siblings is a block with one line to it; a few stand one below the other", () => {
  const wall = layOutGraph(
    ask(leaves(32), [
      ...Array.from({ length: 30 }, (_, at): Edge => [0, at + 1]),
      ...Array.from({ length: 30 }, (_, at): Edge => [at + 1, 31]),
    ]),
  );
  expect(wall.blocks).toHaveLength(1);
  expect(wall.lines.map(({ edges }) => edges.length)).toEqual([30, 30]);
  const columns = new Set(wall.nodes.slice(1, 31).map(({ x }) => x));
  const rows = new Set(wall.nodes.slice(1, 31).map(({ y }) => y));
  expect([columns.size > 2, rows.size < 15]).toEqual([true, true]);
  expect(
    layOutGraph(
      ask(leaves(5), [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
      ]),
    ).blocks,
  ).toHaveLength(0);
});

test("in a high frame already three siblings are packed", () => {
  const edges: Edge[] = [
    [0, 1],
    [0, 2],
    [0, 3],
  ];
  const request = ask(leaves(4), edges, "TB");
  expect(layOutGraph({ ...request, aspect: 0.6 }).blocks).toHaveLength(1);
  expect(layOutGraph(request).blocks).toHaveLength(0);
});

test("siblings with edges of different kinds are not packed together", () => {
  const request = ask(
    leaves(11),
    Array.from({ length: 10 }, (_, at): Edge => [0, at + 1]),
  );
  expect(layOutGraph(request).blocks).toHaveLength(1);
  expect(layOutGraph({ ...request, kinds: request.edges.map((_, at) => `${at % 2}`) }).blocks).toHaveLength(0);
});

test("where each of several leads to each of several, the lines meet in one point", () => {
  const crossed = [0, 1, 2, 3].flatMap((from) => [4, 5, 6, 7].map((to): Edge => [from, to]));
  const { joins, lines } = layOutGraph(ask(leaves(8), crossed));
  expect([joins.length, lines.length]).toEqual([1, 8]);
});

test("edges between two open groups go through one point of each side", () => {
  const nodes = [group(), leaf(0), leaf(0), leaf(0), group(), leaf(4), leaf(4), leaf(4)];
  const request = ask(
    nodes,
    [1, 2, 3].flatMap((from) => [5, 6, 7].map((to): Edge => [from, to])),
  );
  const layout = layOutGraph(request);
  const between = layout.lines.filter(({ points }) => {
    const right = (layout.nodes[0]?.x ?? 0) + (layout.nodes[0]?.width ?? 0);
    return points[0]?.x === right;
  });
  expect(between.map(({ edges }) => edges.length)).toEqual([9]);
  expect(findFaults(request, layout)).toEqual([]);
});

test("a label has room of its own on its edge", () => {
  const request = { ...ask(leaves(2), [[0, 1]]), labels: [60] };
  const { labels, lines, nodes } = layOutGraph(request);
  expect(labels[0]?.x).toBeGreaterThan((nodes[0]?.x ?? 0) + SIZE.width + 30);
  expect(labels[0]?.x).toBeLessThan((nodes[1]?.x ?? 0) - 30);
  expect(lines).toHaveLength(2);
});

test("parts that are not connected stand side by side", () => {
  const chains = Array.from({ length: 20 }, (_, at): Edge[] => [[at * 2, at * 2 + 1]]).flat();
  const { width, height } = layOutGraph(ask(leaves(40), chains));
  expect(width / height).toBeGreaterThan(0.9);
  expect(width / height).toBeLessThan(3.6);
});

test("shelves and cells have about the wanted shape", () => {
  const boxes = Array.from({ length: 30 }, () => SIZE);
  for (const aspect of [0.6, 1, 2]) {
    for (const { width, height } of [packShelves(boxes, aspect, 10), packCells(boxes, aspect, 10)]) {
      expect(width / height).toBeGreaterThan(aspect / 2.2);
      expect(width / height).toBeLessThan(aspect * 2.2);
    }
  }
});

test("of several ways to fold a graph the first that fits at 0.6 is taken, and the last one if none does", () => {
  const chain = (count: number) =>
    ask(
      leaves(count),
      Array.from({ length: count - 1 }, (_, at): Edge => [at, at + 1]),
    );
  const requests = [chain(40), chain(10), chain(3)];
  const choose = (width: number) => chooseLayout({ requests, frame: { width, height: 600 } }).choice;
  expect([choose(10_000), choose(1200), choose(500), choose(100)]).toEqual([0, 1, 2, 2]);
});

test("every edge leads to a later layer, and a source stands just before what it feeds; of a circle one edge is turned", () => {
  expect(
    rankNodes(4, [
      [0, 1],
      [1, 2],
      [3, 2],
    ]),
  ).toEqual([0, 1, 2, 1]);
  expect(
    findBackEdges(3, [
      [0, 1],
      [1, 2],
      [2, 0],
    ]),
  ).toEqual([false, false, true]);
  const { lines } = layOutGraph(
    ask(leaves(3), [
      [0, 1],
      [1, 2],
      [2, 0],
    ]),
  );
  const back = lines.filter(({ edges, isEnd }) => edges.includes(2) && isEnd)[0]?.points ?? [];
  expect((back.at(-1)?.x ?? 0) < (back[0]?.x ?? 0)).toBe(true);
});

test("a thousand tasks are laid out, and none covers another", () => {
  const next = random(7);
  const edges: Edge[] = [];
  for (let node = 50; node < 1000; node += 1)
    for (let at = 0; at <= next(2); at += 1) edges.push([(Math.floor(node / 50) - 1) * 50 + next(50), node]);
  const { nodes } = layOutGraph(ask(leaves(1000), edges));
  expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(1000);
});
