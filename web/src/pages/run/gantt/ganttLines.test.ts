import { expect, test } from "vitest";
import type { RunTimeline, Structure } from "../../../api/shapes";
import { buildLines, findCriticalPath } from "./ganttLines";

const START = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => START + 1000 * seconds;
const structure = {
  dag_id: "d",
  run_id: "r",
  groups: [],
  outside: [],
  labels: [],
  edges: [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ],
  tasks: ["a", "b", "c", "d"].map((task_id) => ({ task_id, operator: "@task" })),
} as unknown as Structure;
const timeline = (some: Partial<RunTimeline>): RunTimeline => ({
  dag_id: "d",
  run_id: "r",
  state: "running",
  run_after: "2026-01-01T00:00:00Z",
  start_date: "2026-01-01T00:00:00Z",
  end_date: null,
  now: at(60),
  is_complete: true,
  task_ids: ["a", "b", "c", "d"],
  states: ["success", "running", "up_for_retry", "deferred", null, "failed"],
  instances: [],
  attempts: [],
  ...some,
});

test("a line waits from the end of the last upstream task, and its tries are bars with the time between them", () => {
  const times = timeline({
    instances: [
      [0, -1, 0, 1, at(2), at(10), null, null],
      [1, -1, 0, 2, at(30), at(40), null, null],
    ],
    attempts: [
      [0, 1, 0, at(2), at(10)],
      [1, 1, 5, at(12), at(20)],
      [1, 2, 0, at(30), at(40)],
    ],
  });
  const lines = buildLines(times, structure, at(60));
  expect(lines[1]?.parts.map((part) => [part.kind, (part.from - START) / 1000, (part.to - START) / 1000])).toEqual([
    ["ready", 10, 12],
    ["run", 12, 20],
    ["retry", 20, 30],
    ["run", 30, 40],
  ]);
});

test("a running try grows to now, and so does the wait of a deferred task", () => {
  const times = timeline({
    instances: [
      [0, -1, 1, 1, at(5), null, null, null],
      [1, -1, 3, 1, at(12), null, null, null],
    ],
    attempts: [[1, 1, 3, at(12), at(14)]],
  });
  const lines = buildLines(times, structure, at(60));
  expect(lines[0]?.parts.at(-1)).toMatchObject({ kind: "run", from: at(5), to: at(60), state: null });
  expect(lines[1]?.parts.at(-1)).toMatchObject({ kind: "deferred", from: at(14), to: at(60) });
});

test("a task that waits for the answer of a person waits as a deferred one does", () => {
  const times = timeline({
    states: ["success", "running", "up_for_retry", "awaiting_input", null, "failed"],
    instances: [[0, -1, 3, 1, at(5), null, null, null]],
    attempts: [[0, 1, 3, at(5), at(6)]],
  });
  expect(buildLines(times, structure, at(60))[0]?.parts.map((part) => part.kind)).toEqual(["ready", "run", "deferred"]);
});

test("a task whose upstream has not ended has no bar yet", () => {
  const times = timeline({
    instances: [
      [0, -1, 1, 1, at(5), null, null, null],
      [1, -1, 4, 0, null, null, null, null],
    ],
  });
  expect(buildLines(times, structure, at(60))[1]?.parts).toEqual([]);
});

test("the critical path follows the upstream task that ended last", () => {
  const times = timeline({
    end_date: "2026-01-01T00:00:50Z",
    instances: [
      [0, -1, 0, 1, at(0), at(10), null, null],
      [1, -1, 0, 1, at(10), at(15), null, null],
      [2, -1, 0, 1, at(10), at(40), null, null],
      [3, -1, 0, 1, at(41), at(50), null, null],
    ],
  });
  const lines = buildLines(times, structure, at(60));
  expect(findCriticalPath(lines, times, structure, at(60)).map((line) => line.taskId)).toEqual(["a", "c", "d"]);
});
