import { expect, test } from "vitest";
import type { FailedDag } from "../../api/shapes";
import { groupByCause } from "./causes";

function failed(dagId: string, endedAt: string, error: string | null): FailedDag {
  const tasks = error === null ? [] : [{ task_id: "t", map_index: -1, error }];
  return { dag_id: dagId, failures: [{ ended_at: endedAt, tasks, reason: null }] } as unknown as FailedDag;
}

test("the same error with other numbers and names is one cause, the newest first", () => {
  const causes = groupByCause([
    failed("old", "2026-01-01T00:00:00Z", "TimeoutError: 30 s to 'db1'"),
    failed("other", "2026-01-02T00:00:00Z", "KeyError: 'x'"),
    failed("new", "2026-01-03T00:00:00Z", "TimeoutError: 31 s to 'db2'"),
  ]);
  expect(causes.map((one) => [one.error, one.failures.map((failure) => failure.dag_id)])).toEqual([
    ["TimeoutError: 31 s to 'db2'", ["new", "old"]],
    ["KeyError: 'x'", ["other"]],
  ]);
});

test("failures without an error are not thrown together", () => {
  expect(groupByCause([failed("a", "2026-01-01", null), failed("b", "2026-01-02", null)])).toHaveLength(2);
});
