import { expect, test } from "vitest";
import type { Grid } from "../../api/shapes";
import { readCell } from "./cellStates";
import { findNextFailed, move, readRow, selectRows } from "./gridRows";

const run = {
  run_id: "r",
  run_type: "manual",
  state: "failed",
  run_after: "2026-01-01T00:00:00Z",
  start_date: null,
  end_date: null,
  version: null,
};
const grid: Grid = {
  dag_id: "d",
  states: ["success", "failed", null],
  runs: [run, { ...run, run_id: "s" }],
  task_ids: ["a", "g.b", "mapped", "g.h.c"],
  cells: [
    [0, 0],
    [1, null],
    [
      [
        [0, 3],
        [1, 2],
      ],
      2,
    ],
    [0, 1],
  ],
  has_older: false,
  groups: [
    { group_id: "g", parent: null, mapped: false },
    { group_id: "g.h", parent: 0, mapped: false },
  ],
  task_groups: [null, 0, null, 1],
  mapped: [2],
};
const all = { search: "", only: undefined, folded: new Set<string>() } as const;
const names = (some: Partial<Parameters<typeof selectRows>[1]>) =>
  selectRows(grid, { ...all, ...some }).map((row) => `${"-".repeat(row.depth)}${row.name}`);

test("a cell with several instances shows the most urgent state first", () => {
  expect(readCell(grid.states, grid.cells[2]?.[0])).toEqual([
    ["failed", 2],
    ["success", 3],
  ]);
  expect(readCell(grid.states, null)).toEqual([]);
  expect(readCell(grid.states, 2)).toEqual([[null, 1]]);
});

test("groups stand above their tasks, which are named without them, and a folded group stands for all of them", () => {
  expect(names({})).toEqual(["a", "g", "-b", "-h", "--c", "mapped"]);
  expect(names({ folded: new Set(["g"]) })).toEqual(["a", "g", "mapped"]);
  const group = selectRows(grid, { ...all, folded: new Set(["g"]) })[1];
  expect(group && readRow(grid, group, 0)).toEqual([
    ["failed", 1],
    ["success", 1],
  ]);
});

test("rows are found by a part of the task id, also in folded groups, and by state", () => {
  expect(names({ search: "MAP" })).toEqual(["mapped"]);
  expect(names({ search: "c", folded: new Set(["g"]) })).toEqual(["g", "-h", "--c"]);
  expect(names({ only: "failed" })).toEqual(["g", "-b", "-h", "--c", "mapped"]);
  expect(names({ only: "unfinished" })).toEqual(["mapped"]);
});

test("the next failed cell is looked for down a run, then in the run before it", () => {
  const rows = selectRows(grid, { ...all, folded: new Set(["g"]) });
  expect(findNextFailed(grid, rows, { row: 0, column: 1 })).toEqual({ row: 1, column: 1 });
  expect(findNextFailed(grid, rows, { row: 1, column: 1 })).toEqual({ row: 1, column: 0 });
  expect(
    findNextFailed({ ...grid, states: ["success", "skipped", null] }, rows, { row: 0, column: 0 }),
  ).toBeUndefined();
});

test("keys move within the grid", () => {
  expect(move({ row: 0, column: 0 }, "ArrowUp", 3, 2)).toEqual({ row: 0, column: 0 });
  expect(move({ row: 0, column: 0 }, "PageDown", 30, 2)).toEqual({ row: 10, column: 0 });
  expect(move({ row: 0, column: 0 }, "End", 3, 9)).toEqual({ row: 0, column: 8 });
  expect(move({ row: 0, column: 0 }, "x", 3, 2)).toBeUndefined();
});
