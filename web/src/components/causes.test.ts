import { expect, test } from "vitest";
import type { Condition } from "../api/runs";
import { findCauses } from "./causes";

const text = (words: string) => ({ code: "because", arguments: { why: { code: "text", arguments: { text: words } } } });
const ended = (taskId: string, since: string, state: string, words?: string) =>
  ({
    kind: "task",
    met: false,
    since,
    children: [],
    arguments: {
      subject: { code: "task", arguments: { task: { dag_id: "d", run_id: "r", task_id: taskId, map_index: -1 } } },
      why: { code: "task_ended", arguments: { state, stored: words ? text(words) : null } },
    },
  }) as unknown as Condition;
const outcome = (...children: Condition[]) => ({ kind: "outcome", met: false, children }) as unknown as Condition;

test("the task that failed first is the cause, and one that did not run because of it is none", () => {
  const causes = findCauses([
    outcome(
      ended("late", "2026-01-01T00:00:09Z", "failed"),
      ended("victim", "2026-01-01T00:00:01Z", "upstream_failed"),
      ended("early", "2026-01-01T00:00:02Z", "failed", "ValueError: no"),
    ),
  ]);
  expect(causes.map((one) => [one.taskId, one.error])).toEqual([
    ["early", "ValueError: no"],
    ["late", undefined],
  ]);
});

test("what waits has no cause of an end", () => {
  expect(findCauses([{ ...outcome(), kind: "running", children: [outcome()] }])).toEqual([]);
});
