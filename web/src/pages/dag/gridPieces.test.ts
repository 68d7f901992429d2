import { expect, test } from "vitest";
import { nextPiece } from "../../api/dagViews";
import type { Grid } from "../../api/shapes";
import { joinPieces } from "./gridPieces";

const run = (run_id: string) => ({
  run_id,
  run_type: "manual",
  state: "failed",
  run_after: "2026-01-01T00:00:00Z",
  start_date: null,
  end_date: null,
  version: null,
});
const newest: Grid = {
  dag_id: "d",
  states: ["success", "failed"],
  runs: [run("c"), run("d")],
  task_ids: ["a", "b"],
  cells: [
    [0, 1],
    [
      [
        [0, 3],
        [1, 2],
      ],
      null,
    ],
  ],
  has_older: true,
  groups: [{ group_id: "g", parent: null, mapped: false }],
  task_groups: [null, 0],
  mapped: [1],
};
const older: Grid = {
  ...newest,
  states: ["failed", "skipped", "success"],
  runs: [run("a"), run("b")],
  task_ids: ["a", "b", "gone"],
  cells: [
    [0, 2],
    [null, [[2, 4]]],
    [1, null],
  ],
  has_older: false,
  task_groups: [null, 0, null],
};

test("one piece is the grid itself", () => {
  expect(joinPieces([newest])).toBe(newest);
  expect(joinPieces([])).toBeUndefined();
});

test("older runs stand before newer ones, and their states get the numbers of the whole", () => {
  const whole = joinPieces([newest, older]);
  expect(whole?.runs.map((one) => one.run_id)).toEqual(["a", "b", "c", "d"]);
  expect(whole?.states).toEqual(["success", "failed", "skipped"]);
  expect(whole?.cells[0]).toEqual([1, 0, 0, 1]);
  expect(whole?.cells[1]).toEqual([
    null,
    [[0, 4]],
    [
      [0, 3],
      [1, 2],
    ],
    null,
  ]);
  expect(whole?.has_older).toBe(false);
});

test("a task that only older runs have comes last, without a group", () => {
  const whole = joinPieces([newest, older]);
  expect(whole?.task_ids).toEqual(["a", "b", "gone"]);
  expect(whole?.cells[2]).toEqual([2, null, null, null]);
  expect(whole?.task_groups).toEqual([null, 0, null]);
});

test("a piece has fewer runs the more tasks there are, and the last one no more than are wanted", () => {
  const tasks = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);
  expect(nextPiece({ ...newest, task_ids: tasks(5_000) }, 340)).toEqual({ runs: 12, before: "c" });
  expect(nextPiece({ ...newest, task_ids: tasks(10) }, 75)).toEqual({ runs: 75, before: "c" });
  expect(nextPiece({ ...newest, task_ids: tasks(100_000) }, 75)?.runs).toBe(1);
  expect(nextPiece(newest, 0)).toBeUndefined();
  expect(nextPiece(older, 10)).toBeUndefined();
});
