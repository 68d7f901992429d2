import { expect, test } from "vitest";
import type { RunTasks } from "../../api/runs";
import { buildLines, contains, filterInstances, fits, readInstances } from "./taskRows";

const task = (task_id: string, group: string | null = null, is_mapped = false) => ({
  task_id,
  name: task_id,
  operator: "Bash",
  group,
  pool: "default_pool",
  queue: "default",
  is_mapped,
  upstream: [],
  counts: {},
});
const FOUND: RunTasks = {
  tasks: [task("first"), task("load.a", "load"), task("load.many", "load", true)],
  groups: { load: null },
  states: ["success", "failed", null],
  instances: [
    [0, -1, 0, 1, 10, 20, null],
    [1, -1, 1, 2, 20, 25, null],
    ...Array.from({ length: 60 }, (_, at): RunTasks["instances"][number] => [
      2,
      at,
      at === 7 ? 1 : 2,
      0,
      null,
      null,
      null,
    ]),
  ],
  total: 62,
};
const ALL = readInstances(FOUND);

test("groups and mapped tasks fold to counts, and open", () => {
  expect(buildLines(FOUND, ALL, new Set()).map((line) => line.key)).toEqual(["t:first", "g:load"]);
  const open = buildLines(FOUND, ALL, new Set(["g:load"]));
  expect(open.map((line) => line.key)).toEqual(["t:first", "g:load", "t:load.a", "t:load.many"]);
  expect(open[3]).toMatchObject({ kind: "task", counts: { none: 59, failed: 1 } });
  expect(buildLines(FOUND, ALL, new Set(["g:load", "t:load.many"])).length).toBe(64);
});

test("only what failed, and only what has not ended, are filters of all instances", () => {
  expect(
    filterInstances(ALL, FOUND.groups, { only: "failed" }, 0).map((one) => [one.task.task_id, one.mapIndex]),
  ).toEqual([
    ["load.a", -1],
    ["load.many", 7],
  ]);
  expect(filterInstances(ALL, FOUND.groups, { only: "unfinished" }, 0).length).toBe(59);
  expect(filterInstances(ALL, FOUND.groups, { task: "LOAD", index: "7" }, 0).length).toBe(1);
  expect(filterInstances(ALL, FOUND.groups, { longer: 6 }, 0).map((one) => one.task.task_id)).toEqual(["first"]);
});

test("a filter can be negated", () => {
  expect([fits("a,b", "b"), fits("!a,b", "b"), fits("!a", "c"), fits("none", null), fits(undefined, "x")]).toEqual([
    true,
    false,
    true,
    true,
    true,
  ]);
  expect([contains("!x", "abc"), contains("B", "abc"), contains("!", "abc")]).toEqual([true, true, true]);
});
