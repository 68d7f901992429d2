import { expect, test } from "vitest";
import { layOutLayers } from "./layered";
import { layOutNested, type NestedNode } from "./nested";
import { breakCycles, type Edge, rankNodes } from "./ranks";

const SIZE = { width: 100, height: 40 };
const sizes = (count: number) => Array.from({ length: count }, () => SIZE);

test("every edge leads to a later layer, and a source stands just before what it feeds", () => {
  const edges: Edge[] = [
    [0, 1],
    [1, 2],
    [3, 2],
  ];
  expect([...rankNodes(4, edges)]).toEqual([0, 1, 2, 1]);
});

test("of a cycle one edge is turned round", () => {
  const edges = breakCycles(3, [
    [0, 1],
    [1, 2],
    [2, 0],
  ]);
  expect(edges).toEqual([
    [0, 1],
    [1, 2],
    [0, 2],
  ]);
  expect(
    layOutLayers(sizes(3), [
      [0, 1],
      [1, 2],
      [2, 0],
    ]).nodes,
  ).toHaveLength(3);
});

test("no two nodes overlap", () => {
  const edges: Edge[] = [];
  for (let node = 1; node < 60; node += 1) edges.push([(node * 7) % node, node]);
  const { nodes } = layOutLayers(sizes(60), edges);
  nodes.forEach((a, at) =>
    nodes.slice(at + 1).forEach((b) => {
      expect(Math.abs(a.x - b.x) >= SIZE.width || Math.abs(a.y - b.y) >= SIZE.height).toBe(true);
    }),
  );
});

test("two chains do not cross", () => {
  const { nodes } = layOutLayers(sizes(4), [
    [0, 3],
    [1, 2],
  ]);
  const above = (a: number, b: number) => (nodes[a]?.y ?? 0) < (nodes[b]?.y ?? 0);
  expect(above(0, 1)).toBe(above(3, 2));
});

test("nodes without edges stand in a block", () => {
  const { width, height } = layOutLayers(sizes(100), []);
  expect(height).toBeLessThan(20 * 60);
  expect(width).toBeGreaterThan(300);
});

test("an open group contains its members, and what is outside stays outside", () => {
  const nodes: NestedNode[] = [
    { ...SIZE, parent: null, isOpenGroup: false },
    { ...SIZE, parent: null, isOpenGroup: true },
    { ...SIZE, parent: 1, isOpenGroup: false },
    { ...SIZE, parent: 1, isOpenGroup: true },
    { ...SIZE, parent: 3, isOpenGroup: false },
    { ...SIZE, parent: null, isOpenGroup: false },
  ];
  const { nodes: placed } = layOutNested({
    nodes,
    edges: [
      [0, 2],
      [2, 4],
      [4, 5],
    ],
    direction: "LR",
  });
  const inside = (inner: number, outer: number) => {
    const [a, b] = [placed[inner], placed[outer]];
    if (!a || !b) return false;
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
  };
  expect(inside(2, 1) && inside(3, 1) && inside(4, 3)).toBe(true);
  expect(inside(0, 1) || inside(5, 1)).toBe(false);
});

test("a thousand tasks are laid out, and none covers another", () => {
  const edges: Edge[] = [];
  let seed = 7;
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  for (let node = 50; node < 1000; node += 1)
    for (let at = 0; at <= next(2); at += 1) edges.push([(Math.floor(node / 50) - 1) * 50 + next(50), node]);
  const { nodes, bends } = layOutLayers(sizes(1000), edges);
  expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(1000);
  expect(bends).toHaveLength(edges.length);
});
