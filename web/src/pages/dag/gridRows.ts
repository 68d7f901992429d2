/** What the grid shows of its answer. */

import type { Grid, GridCell } from "../../api/shapes";

export interface GridRow {
  taskId: string;
  cells: GridCell[];
}

/** The most urgent state of a cell with several instances is shown first. */
const URGENCY = ["failed", "upstream_failed", "up_for_retry", "running", "deferred", "queued", "scheduled", "up_for_reschedule", "restarting", null, "success", "skipped", "removed"];

/** (state, count) of a cell, the most urgent first; empty without an instance. */
export function readCell(grid: Grid, cell: GridCell): [string | null, number][] {
  if (cell === null || cell === undefined) return [];
  const pairs = typeof cell === "number" ? [[cell, 1] as [number, number]] : (cell as [number, number][]);
  return pairs
    .map(([index, count]): [string | null, number] => [grid.states[index] ?? null, count])
    .sort((a, b) => URGENCY.indexOf(a[0]) - URGENCY.indexOf(b[0]));
}

export function selectRows(grid: Grid, search: string, onlyFailed: boolean): GridRow[] {
  const wanted = search.toLowerCase();
  return grid.task_ids
    .map((taskId, at) => ({ taskId, cells: grid.cells[at] ?? [] }))
    .filter((row) => row.taskId.toLowerCase().includes(wanted))
    .filter((row) => !onlyFailed || row.cells.some((cell) => readCell(grid, cell).some(([state]) => state === "failed" || state === "upstream_failed")));
}

export interface Place {
  row: number;
  column: number;
}

/** The next cell after a place with a failed instance: down the tasks of a run, then the run before it; undefined if there is none. */
export function findNextFailed(grid: Grid, rows: GridRow[], from: Place): Place | undefined {
  const height = rows.length;
  const width = grid.runs.length;
  for (let step = 1; step <= height * width; step += 1) {
    const at = (width - 1 - from.column) * height + from.row + step;
    const column = width - 1 - (Math.floor(at / height) % width);
    const row = at % height;
    if (readCell(grid, rows[row]?.cells[column] ?? null).some(([state]) => state === "failed")) return { row, column };
  }
  return undefined;
}

/** The place after an arrow key. */
export function move(place: Place, key: string, height: number, width: number): Place | undefined {
  const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[key];
  if (!step) return undefined;
  return { row: clamp(place.row + step[0], height), column: clamp(place.column + step[1], width) };
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}
