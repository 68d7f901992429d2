import { expect, test } from "vitest";
import { groupRunning } from "./runningTasks";

const at = (minute: number) => `2026-11-30T10:${String(minute).padStart(2, "0")}:00Z`;
const task = (name: string, run: string, minute: number) => ({
  dag_id: "copies",
  run_id: run,
  task: name,
  state: "running",
  try_number: 1,
  since: at(minute),
  worker: null,
});

test("instances of a mapped task are one line with their number and the time of the first", () => {
  const lines = groupRunning([
    task("copy[1]", "a", 7),
    task("load", "a", 3),
    task("copy[0]", "a", 5),
    task("copy[2]", "b", 6),
  ]);
  expect(lines.map((one) => [one.run_id, one.task, one.count, one.since])).toEqual([
    ["a", "copy", 2, at(5)],
    ["a", "load", 1, at(3)],
    ["b", "copy[2]", 1, at(6)],
  ]);
});
