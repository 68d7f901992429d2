import { expect, test } from "vitest";
import type { Condition } from "../api/runs";
import { isWaiting } from "./ConditionTree";

const condition = (kind: string, act?: string, code = "worker_has_slot") => ({
  kind,
  met: false,
  code: act ? "task_has_wait" : code,
  arguments: { why: { code, arguments: {} } },
  release: act ? ({ act } as Condition["release"]) : null,
});

test("what time or other work meets is no failure", () => {
  for (const kind of ["running", "pool_room", "upstream_task", "run_due"])
    expect(isWaiting(condition(kind))).toBe(true);
  expect(isWaiting(condition("task", "mark_task"))).toBe(true);
});

test("what has failed, and what can never start, is marked as such", () => {
  for (const kind of ["outcome", "pool_size", "dag_active", "scheduler"])
    expect(isWaiting(condition(kind))).toBe(false);
  expect(isWaiting(condition("task", "clear_task"))).toBe(false);
  expect(isWaiting(condition("task", "set_pool", "pool_is_too_small"))).toBe(false);
});

test("a condition that is met does not wait", () => {
  expect(isWaiting({ ...condition("running"), met: true })).toBe(false);
});
