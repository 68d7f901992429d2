import { expect, test } from "vitest";
import type { Structure } from "../../../api/shapes";
import { chooseOpenGroups, findMatches, findReach, foldGraph } from "./foldGraph";
import { fitText } from "./textLines";

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
  expect(names(["g"])).toEqual(["task a", "open g", "task b", "group g.h", "task e", "outside other"]);
  expect(names(["g.h"])).toEqual(names([]));
});

test("groups open from the outside in while the nodes are few", () => {
  expect([...chooseOpenGroups(structure, 100)]).toEqual(["g", "g.h"]);
  expect([...chooseOpenGroups(structure, 6)]).toEqual(["g"]);
  expect([...chooseOpenGroups(structure, 4)]).toEqual([]);
});

test("upstream and downstream of a node, and of an open group without its own members", () => {
  const graph = foldGraph(structure, new Set(["g"]));
  const reach = findReach(graph, 2);
  expect([...reach.upstream].sort()).toEqual([0, 5]);
  expect([...reach.downstream].sort()).toEqual([3, 4]);
  expect([...findReach(graph, 1).downstream]).toEqual([4]);
});

test("a search finds a task of an open group by its full id, and a folded group by the id of a task in it", () => {
  const find = (open: string[], text: string) => {
    const { nodes } = foldGraph(structure, new Set(open));
    return findMatches(nodes, structure, text).map((at) => nodes[at]?.key);
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
  const { nodes } = foldGraph(many, new Set(["g"]));
  expect(findMatches(nodes, many, "g.step_8").map((at) => nodes[at]?.key)).toEqual(["task:g.step_8", "task:g.step_80"]);
});

test("a long name breaks behind underscores, and a part that is too long anywhere", () => {
  const measure = (text: string) => text.length * 10;
  expect(fitText("load_customers_from_warehouse", measure).lines).toEqual(["load_customers_from_", "warehouse"]);
  const cut = fitText("x".repeat(1000), measure);
  expect(cut.isCut).toBe(true);
  expect(cut.lines).toHaveLength(5);
});
