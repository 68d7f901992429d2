import { expect, test } from "vitest";
import type { Structure } from "../../../api/shapes";
import { findReach } from "../../../components/graph/picture";
import { fitText } from "../../../components/graph/texts";
import { foldGraph, listFoldings } from "./foldGraph";
import { buildPicture, findMatches } from "./taskPicture";

const task = (task_id: string, group?: number) => ({
  task_id,
  operator: "O",
  group,
  trigger_rule: "all_success",
  is_setup: false,
  is_teardown: false,
  is_mapped: false,
});
const structure: Structure = {
  dag_id: "d",
  run_id: null,
  groups: [
    { group_id: "g", parent: null, mapped: false },
    { group_id: "g.h", parent: 0, mapped: false },
  ],
  tasks: [task("a"), task("g.b", 0), task("g.h.c", 1), task("g.h.d", 1), task("e")],
  edges: [
    [0, 1],
    [1, 2],
    [1, 3],
    [2, 4],
    [3, 4],
  ],
  labels: [
    [2, 4, "yes"],
    [3, 4, "no"],
  ],
  outside: [{ kind: "dag", name: "other", task_id: null, is_upstream: true, tasks: [] }],
};
const names = (open: string[]) => foldGraph(structure, new Set(open)).nodes.map((node) => `${node.kind} ${node.name}`);

test("a folded group is one node that stands for its tasks", () => {
  expect(names([])).toEqual(["task a", "group g", "task e", "outside other"]);
  const { nodes, edges } = foldGraph(structure, new Set());
  expect(nodes[1]?.tasks).toEqual([1, 2, 3]);
  expect(edges.map((edge) => [edge.ends, edge.label])).toEqual([
    [[0, 1], ""],
    [[1, 2], "yes, no"],
    [[3, 0], ""],
  ]);
});

test("an open group stands before its members, and a folded group within it stays folded", () => {
  expect(names(["g"])).toEqual(["task a", "open g", "task b", "group h", "task e", "outside other"]);
  expect(names(["g.h"])).toEqual(names([]));
});

const picture = (source: Structure, open: string[]) =>
  buildPicture(foldGraph(source, new Set(open)), {
    states: source.tasks.map(() => []),
    spans: source.tasks.map(() => undefined),
    now: 0,
  });

test("groups fold level by level from the inside, and in the end all are folded", () => {
  expect(listFoldings(structure).map((open) => [...open])).toEqual([["g", "g.h"], ["g"], []]);
});

test("within a level large groups fold first, and what could never be read is not tried", () => {
  const group = (group_id: string) => ({ group_id, parent: null, mapped: false });
  const many = (count: number, of: number) => Array.from({ length: count }, (_, at) => task(`t${of}.${at}`, of));
  const grouped = (...counts: number[]): Structure => ({
    ...structure,
    groups: counts.map((_, at) => group(`g${at}`)),
    tasks: counts.flatMap(many),
    edges: [],
    labels: [],
    outside: [],
  });
  const open = (source: Structure) => listFoldings(source).map((groups) => [...groups]);
  expect(open(grouped(3, 20))).toEqual([["g0", "g1"], ["g0"], []]);
  expect(open(grouped(3, 400))).toEqual([["g0"], []]);
  expect(open(grouped(400))).toEqual([[]]);
});

test("upstream and downstream of a node, and of an open group without its own members", () => {
  const graph = picture(structure, ["g"]);
  const reach = findReach(graph, 2);
  expect([...reach.upstream].sort()).toEqual([0, 5]);
  expect([...reach.downstream].sort()).toEqual([3, 4]);
  expect([...findReach(graph, 1).downstream]).toEqual([4]);
});

test("the path of a node has the edges that lead to it or come from it, and none that passes it", () => {
  const graph = {
    nodes: picture(structure, ["g", "g.h"])
      .nodes.slice(0, 4)
      .map((node) => ({ ...node, kind: "task" as const })),
    edges: [
      [0, 1],
      [1, 2],
      [0, 2],
      [3, 2],
    ].map((ends) => ({ ends: ends as [number, number], kind: "", label: "" })),
  };
  expect([...findReach(graph, 1).edges]).toEqual([0, 1]);
});

test("a group in an open group is named without its id", () => {
  expect(picture(structure, ["g", "g.h"]).nodes.map(({ name }) => name)).toEqual([
    "a",
    "g",
    "b",
    "h",
    "c",
    "d",
    "e",
    "other",
  ]);
});

test("a node says its states and how long it took, a group from its first start to its last end", () => {
  const states: [string, number][][] = structure.tasks.map(() => [["success", 1]]);
  const spans = [
    undefined,
    { start: 0, end: 60_000 },
    { start: 30_000, end: 120_000 },
    undefined,
    { start: 0, end: undefined },
  ];
  const { nodes } = buildPicture(foldGraph(structure, new Set()), { states, spans, now: 5_000 });
  expect(nodes.map(({ note }) => note)).toEqual(["success", "3 success · 2 min", "success · 5 s", "another DAG"]);
});

test("a search finds a task of an open group by its full id, and a folded group by the id of a task in it", () => {
  const find = (open: string[], text: string) => {
    const graph = picture(structure, open);
    return findMatches(graph, structure, text).map((at) => graph.nodes[at]?.key);
  };
  expect(find(["g", "g.h"], "g.h.c")).toEqual(["task:g.h.c"]);
  expect(find(["g", "g.h"], " G.B ")).toEqual(["task:g.b"]);
  expect(find(["g"], "g.h.c")).toEqual(["group:g.h"]);
  expect(find(["g", "g.h"], "x")).toEqual([]);
  expect(find(["g", "g.h"], "")).toEqual([]);
});

test("of the nodes that a search finds, one with exactly this name or id is the first", () => {
  const many: Structure = {
    ...structure,
    tasks: [task("g.step_80", 0), task("step_8"), task("g.step_8", 0)],
    edges: [],
    labels: [],
    outside: [],
  };
  const graph = picture(many, ["g"]);
  expect(findMatches(graph, many, "g.step_8").map((at) => graph.nodes[at]?.key)).toEqual([
    "task:g.step_8",
    "task:g.step_80",
  ]);
});

test("a long name breaks behind underscores, and a part that is too long anywhere", () => {
  const measure = (text: string) => text.length * 10;
  expect(fitText("load_customers_from_warehouse", measure).lines).toEqual(["load_customers_from_", "warehouse"]);
  const cut = fitText("x".repeat(1000), measure);
  expect(cut.isCut).toBe(true);
  expect(cut.lines).toHaveLength(5);
});
