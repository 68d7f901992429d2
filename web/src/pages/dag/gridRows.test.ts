import { expect, test } from "vitest";
import type { Grid } from "../../api/shapes";
import { findNextFailed, move, readCell, selectRows } from "./gridRows";

const run = { run_id: "r", run_type: "manual", state: "failed", run_after: "2026-01-01T00:00:00Z", start_date: null, end_date: null };
const grid: Grid = {
  dag_id: "d", states: ["success", "failed", null], runs: [run, { ...run, run_id: "s" }], task_ids: ["a", "b", "mapped"],
  cells: [[0, 0], [1, null], [[[0, 3], [1, 2]], 2]],
};

test("a cell with several instances shows the most urgent state first", () => {
  expect(readCell(grid, grid.cells[2]?.[0] ?? null)).toEqual([["failed", 2], ["success", 3]]);
  expect(readCell(grid, null)).toEqual([]);
  expect(readCell(grid, 2)).toEqual([[null, 1]]);
});

test("rows are found by a part of the task id and by failure", () => {
  expect(selectRows(grid, "MAP", false).map((row) => row.taskId)).toEqual(["mapped"]);
  expect(selectRows(grid, "", true).map((row) => row.taskId)).toEqual(["b", "mapped"]);
});

test("the next failed cell is looked for in the newest run first, and from the end at the beginning again", () => {
  const rows = selectRows(grid, "", false);
  expect(findNextFailed(grid, rows, { row: 0, column: 1 })).toEqual({ row: 1, column: 0 });
  expect(findNextFailed(grid, rows, { row: 1, column: 0 })).toEqual({ row: 2, column: 0 });
  expect(findNextFailed(grid, rows, { row: 2, column: 0 })).toEqual({ row: 1, column: 0 });
  expect(findNextFailed({ ...grid, states: ["success", "success", null] }, rows, { row: 0, column: 0 })).toBeUndefined();
});

test("arrows stay inside the grid", () => {
  expect(move({ row: 0, column: 0 }, "ArrowUp", 3, 2)).toEqual({ row: 0, column: 0 });
  expect(move({ row: 0, column: 0 }, "ArrowRight", 3, 2)).toEqual({ row: 0, column: 1 });
  expect(move({ row: 0, column: 0 }, "x", 3, 2)).toBeUndefined();
});
