import { expect, test } from "vitest";
import { findBehind } from "./runs";

const runs = [{ dag_run_id: "c" }, { dag_run_id: "b" }, { dag_run_id: "a" }];

test("the neighbour of a run stands behind it; the last run and an unknown one have none", () => {
  expect(findBehind(runs, "c")?.dag_run_id).toBe("b");
  expect(findBehind(runs, "a")).toBeUndefined();
  expect(findBehind(runs, "x")).toBeUndefined();
});
