import { expect, test } from "vitest";
import { findCostlyKeys, findStaleKeys } from "./live";

test("a change of a task makes the grid and its run stale, not the list of DAGs", () => {
  const keys = findStaleKeys("task_instance", { dag_id: "a", run_id: "r", task_id: "t" });
  expect(keys).toContainEqual(["dag", "a", "grid"]);
  expect(keys).toContainEqual(["dag", "a", "run", "r"]);
  expect(keys).not.toContainEqual(["dags"]);
});

test("a change of a run makes the lists and the home page stale, of which each costs the server something", () => {
  for (const key of ["dags", "runs", "failures", "timeline", "work"])
    expect(findCostlyKeys("dag_run")).toContainEqual([key]);
  expect(findCostlyKeys("task_instance")).toContainEqual(["tasks"]);
  expect(findCostlyKeys("task_instance")).not.toContainEqual(["dags"]);
});

test("what costs the server much is made stale apart, and an import error does not touch the work", () => {
  expect(findCostlyKeys("task_instance")).toContainEqual(["questions"]);
  expect(findCostlyKeys("pool")).toEqual([["work"], ["audit"], ["pools"], ["limits"]]);
  expect(findCostlyKeys("import_error")).toEqual([["audit"]]);
});
