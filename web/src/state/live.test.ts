import { expect, test } from "vitest";
import { findStaleKeys } from "./live";

test("a change of a task makes the grid and its run stale, not the list of DAGs", () => {
  const keys = findStaleKeys("task_instance", { dag_id: "a", run_id: "r", task_id: "t" });
  expect(keys).toContainEqual(["dag", "a", "grid"]);
  expect(keys).toContainEqual(["dag", "a", "run", "r"]);
  expect(keys).not.toContainEqual(["dags"]);
});

test("a change of a run makes the lists stale", () => {
  expect(findStaleKeys("dag_run", { dag_id: "a", run_id: "r" })).toContainEqual(["dags"]);
});
