// @vitest-environment happy-dom

import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Grid as GridData } from "../../api/shapes";
import { renderInPage } from "../../testing/renderInPage";
import { Grid } from "./Grid";
import { selectRows } from "./gridRows";

const run = (run_id: string) => ({
  run_id,
  run_type: "manual",
  state: "failed",
  run_after: "2026-01-01T00:00:00Z",
  start_date: null,
  end_date: null,
  version: null,
});
const GRID: GridData = {
  dag_id: "sales",
  states: ["success", "failed"],
  runs: [run("older"), run("newest")],
  task_ids: ["load", "parts.copy", "send"],
  cells: [
    [0, 0],
    [1, 0],
    [0, 1],
  ],
  has_older: false,
  groups: [{ group_id: "parts", parent: null, mapped: false }],
  task_groups: [null, 0, null],
  mapped: [],
};
const select = vi.fn();
const openPage = vi.fn();
const toggleGroup = vi.fn();
const toggleFailed = vi.fn();

// Nothing is laid out in a test: the frame of the grid has a size all the same, so that its lines are in view.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(800);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(400);
});
afterEach(() => vi.restoreAllMocks());

async function show(grid = GRID) {
  await renderInPage(() => (
    <Grid
      grid={grid}
      rows={selectRows(grid, { search: "", only: undefined, folded: new Set<string>() })}
      planned={[]}
      selection={undefined}
      select={select}
      openPage={openPage}
      toggleGroup={toggleGroup}
      toggleFailed={toggleFailed}
    />
  ));
  const press = async (...keys: string[]) => {
    for (const key of keys) await act(async () => void fireEvent.keyDown(screen.getByRole("grid"), { key }));
  };
  return { press };
}

const chosen = () => screen.getByRole("gridcell", { selected: true }).getAttribute("aria-label");

test("the arrows go from cell to cell, and stop at the edges", async () => {
  const { press } = await show();
  expect(chosen()).toBe("load, newest: success");
  await press("ArrowRight", "ArrowUp");
  expect(chosen()).toBe("load, newest: success");
  await press("ArrowLeft", "ArrowDown", "ArrowDown");
  expect(chosen()).toBe("parts.copy, older: failed");
  expect(screen.getByRole("grid").getAttribute("aria-activedescendant")).toBe("cell-2-0");
});

test("n goes to the next failed task, Enter opens its sheet and with Shift its page", async () => {
  const { press } = await show();
  await press("n");
  expect(chosen()).toBe("send, newest: failed");
  await press("n");
  expect(chosen()).toBe("parts.copy, older: failed");
  await press("Enter");
  expect(select.mock.calls).toEqual([[{ runId: "older", taskId: "parts.copy" }]]);
  await act(async () => void fireEvent.keyDown(screen.getByRole("grid"), { key: "Enter", shiftKey: true }));
  expect(openPage.mock.calls).toEqual([[{ runId: "older", taskId: "parts.copy" }, false]]);
});

test("Enter folds a group, f shows only what failed, and keys with a modifier are left to the browser", async () => {
  const { press } = await show();
  await press("ArrowDown", "Enter", "f");
  expect(toggleGroup.mock.calls).toEqual([["parts"]]);
  expect(toggleFailed).toHaveBeenCalledTimes(1);
  await act(async () => void fireEvent.keyDown(screen.getByRole("grid"), { key: "f", ctrlKey: true }));
  expect(toggleFailed).toHaveBeenCalledTimes(1);
});

test("a click on the name of a group folds it, one on the bar of a run opens its sheet", async () => {
  await show();
  toggleGroup.mockClear();
  select.mockClear();
  fireEvent.click(screen.getByText("parts"));
  fireEvent.click(screen.getByRole("button", { name: /^older/ }));
  expect(toggleGroup.mock.calls).toEqual([["parts"]]);
  expect(select.mock.calls).toEqual([[{ runId: "older", taskId: undefined }]]);
});

test("rows and columns have numbers: only a part of them is in the document", async () => {
  await show();
  const grid = screen.getByRole("grid");
  expect(["aria-rowcount", "aria-colcount"].map((name) => grid.getAttribute(name))).toEqual(["5", "3"]);
  const first = screen.getAllByRole("row")[1];
  expect(first?.getAttribute("aria-rowindex")).toBe("2");
  const numbers = [...(first?.querySelectorAll("[aria-colindex]") ?? [])];
  expect(numbers.map((one) => one.getAttribute("aria-colindex"))).toEqual(["1", "2", "3"]);
  const heads = screen.getAllByRole("columnheader");
  expect(heads.map((one) => one.getAttribute("aria-colindex"))).toEqual(["1", "2", "3"]);
});
