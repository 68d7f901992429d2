import { expect, test } from "vitest";
import { buildPicture } from "./dependencyPicture";
import { buildGraph, chooseFold, countStates, findOutdated, focusGraph, foldGraph, hideAssets } from "./graphModel";

const wait = (dag_id: string, upstream_dag_id: string, error: string | null = null) => ({
  dag_id,
  task_id: null,
  upstream_dag_id,
  upstream_task_id: null,
  options: [],
  paused: false,
  kind: "after",
  could_be: null,
  unknown: false,
  error,
});
const dag = (dag_id: string, folder = "", triggers: string[] = []) => ({
  dag_id,
  display_name: dag_id,
  folder,
  owners: ["o"],
  tags: [],
  paused: false,
  triggers,
});
const NODES = {
  dags: [dag("a", "x"), dag("b", "x"), dag("c", "y", ["a"]), dag("alone")],
  assets: [{ kind: "asset", name: "orders", uri: "s3://orders", asset_id: 7 }],
  asset_edges: [
    { dag_id: "b", task_id: "t", role: "outlet", asset: 0 },
    { dag_id: "c", task_id: null, role: "schedule", asset: 0 },
  ],
  alias_edges: [],
  circles: [],
};
const GRAPH = buildGraph({ dependencies: [wait("b", "a"), wait("a", "ghost", "never")] }, NODES);
const shown = { nodes: [...GRAPH.nodes.values()], edges: GRAPH.edges };

test("edges lead from what comes first to what comes after it", () => {
  expect(GRAPH.edges.map((one) => `${one.from} ${one.kind} ${one.to}`)).toEqual([
    "dag a waits dag b",
    "dag ghost waits dag a",
    "dag c triggers dag a",
    "dag b writes asset 0",
    "asset 0 schedules dag c",
  ]);
  expect(GRAPH.unrelated).toBe(1);
  expect(GRAPH.nodes.get("dag ghost")?.kind).toBe("missing");
  expect(GRAPH.nodes.get("dag a")?.error).toBe("never");
});

test("the DAGs of a folder fold to one node with their edges, and open again", () => {
  const folded = foldGraph(shown, GRAPH.groups.folder, new Set());
  expect(folded.nodes.map((one) => one.key)).toEqual(["group x", "group y", "asset 0", "dag ghost"]);
  expect(folded.edges.map((one) => `${one.from} ${one.kind} ${one.to}`)).toEqual([
    "dag ghost waits group x",
    "group y triggers group x",
    "group x writes asset 0",
    "asset 0 schedules group y",
  ]);
  expect(foldGraph(shown, GRAPH.groups.folder, new Set(["x"])).nodes.map((one) => one.key)).toContain("dag b");
});

test("an asset of one folded group only is in that group", () => {
  const inside = buildGraph(
    { dependencies: [] },
    {
      ...NODES,
      asset_edges: [
        { dag_id: "a", task_id: "t", role: "outlet", asset: 0 },
        { dag_id: "b", task_id: null, role: "schedule", asset: 0 },
      ],
    },
  );
  const folded = foldGraph({ nodes: [...inside.nodes.values()], edges: inside.edges }, inside.groups.folder, new Set());
  expect(folded.nodes.map((one) => one.key)).toEqual(["group x", "group y"]);
});

test("without assets a DAG leads to the DAGs that its assets schedule", () => {
  expect(hideAssets(shown).edges.map((one) => `${one.from} ${one.kind} ${one.to}`)).toContain("dag b schedules dag c");
});

test("around one DAG is what comes before and after it", () => {
  expect(
    focusGraph({ nodes: shown.nodes, edges: shown.edges.filter((one) => one.kind !== "triggers") }, "dag b")
      .nodes.map((one) => one.key)
      .sort(),
  ).toEqual(["asset 0", "dag a", "dag b", "dag c", "dag ghost"]);
});

test("a large graph folds by what gives several groups", () => {
  const many = Array.from({ length: 200 }, (_, at) => dag(`d${at}`, `f${at % 4}`, [`d${(at + 1) % 200}`]));
  expect(chooseFold(buildGraph({ dependencies: [] }, { ...NODES, dags: many, asset_edges: [], assets: [] }))).toBe(
    "folder",
  );
});

test("the states of a group are counted, the most urgent first", () => {
  expect(countStates(["a", "b", "c"], { a: ["r", "success"], b: ["r", "failed"], c: ["r", "failed"] })).toEqual([
    ["failed", 2],
    ["success", 1],
  ]);
  expect(countStates(["a"], {})).toEqual([]);
});

test("an open group is a frame around its DAGs, and an edge ends at the DAG", () => {
  const open = foldGraph(shown, GRAPH.groups.folder, new Set(["x"]));
  const { nodes, edges } = buildPicture(open, { runs: {}, events: undefined, now: 0 });
  expect(nodes.map(({ key, kind, parent }) => [key, kind, parent])).toContainEqual(["dag a", "dag", 0]);
  expect(nodes[0]).toMatchObject({ kind: "open", name: "x", note: "2 DAGs" });
  const named = edges.map(({ ends }) => ends.map((at) => nodes[at]?.key).join(" > "));
  expect(named).toContain("dag a > dag b");
});

test("an asset is outdated when something that its DAG reads has a newer event", () => {
  const made = buildGraph(
    { dependencies: [] },
    {
      ...NODES,
      assets: [...NODES.assets, { kind: "asset", name: "totals", uri: "", asset_id: 8 }],
      asset_edges: [
        { dag_id: "b", task_id: null, role: "schedule", asset: 0 },
        { dag_id: "b", task_id: "t", role: "outlet", asset: 1 },
      ],
    },
  );
  const graph = { nodes: [...made.nodes.values()], edges: made.edges };
  const names = (events: Record<string, string>) =>
    [...findOutdated(graph, events)].map(([key, { name }]) => [key, name]);
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  expect(names({ 7: late, 8: early })).toEqual([["asset 1", "orders"]]);
  expect(names({ 7: early, 8: late })).toEqual([]);
  expect(names({ 7: late })).toEqual([]);
  const now = Date.parse("2026-01-02T02:00:00Z");
  const notes = buildPicture(graph, { runs: {}, events: { 7: late, 8: early }, now }).nodes.map(({ note }) => note);
  expect(notes).toContain("2 h ago");
  expect(notes).toContain("1 d 2 h ago · older than orders");
});
