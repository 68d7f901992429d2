/** The rows of the grid: task groups, folded or open, and tasks. */

import type { Grid, GridCell } from "../../api/shapes";
import { addCounts, ENDED_STATES, FAILED_STATES, readCell, type StateCounts } from "./cellStates";

export interface GridRow {
  key: string;
  /** What is shown: without the ids of the groups around it. */
  name: string;
  /** The whole id of the task or the group. */
  id: string;
  depth: number;
  /** Of a group: whether its rows are left out. */
  isFolded: boolean | undefined;
  /** The tasks for which it stands, by index. */
  tasks: number[];
}

export type Only = "failed" | "unfinished" | undefined;

/** A DAG with more tasks than this opens with its groups folded. */
export const FOLD_ABOVE = 100;

export interface RowChoice {
  search: string;
  only: Only;
  /** The folded groups, by id. */
  folded: ReadonlySet<string>;
}

/** A row with those that stand below it. */
interface Branch {
  row: GridRow;
  below: Branch[];
}

export function selectRows(grid: Grid, { search, only, folded }: RowChoice): GridRow[] {
  const wanted = search.toLowerCase();
  const top: Branch[] = [];
  const groups = new Map<number, Branch>();
  const paths = listPaths(grid);
  const isWanted = markStates(grid, only);
  grid.task_ids.forEach((taskId, at) => {
    if (!taskId.toLowerCase().includes(wanted) || (only !== undefined && !hasState(grid.cells[at] ?? [], isWanted)))
      return;
    let [place, around, depth] = [top, "", 0];
    for (const group of paths[grid.task_groups[at] ?? -1] ?? []) {
      const id = grid.groups[group]?.group_id ?? "";
      let branch = groups.get(group);
      if (!branch) {
        branch = {
          row: {
            key: `group ${id}`,
            name: nameInside(id, around),
            id,
            depth,
            isFolded: folded.has(id) && wanted === "",
            tasks: [],
          },
          below: [],
        };
        groups.set(group, branch);
        place.push(branch);
      }
      branch.row.tasks.push(at);
      if (branch.row.isFolded) return;
      [place, around, depth] = [branch.below, id, depth + 1];
    }
    place.push({
      row: { key: taskId, name: nameInside(taskId, around), id: taskId, depth, isFolded: undefined, tasks: [at] },
      below: [],
    });
  });
  return flatten(top);
}

function flatten(branches: Branch[]): GridRow[] {
  return branches.flatMap(({ row, below }) => (below.length > 0 ? [row, ...flatten(below)] : [row]));
}

function listPaths(grid: Grid): number[][] {
  const paths: number[][] = [];
  grid.groups.forEach((group, at) => {
    paths[at] = [...(group.parent === null ? [] : (paths[group.parent] ?? [])), at];
  });
  return paths;
}

function nameInside(id: string, around: string): string {
  return around !== "" && id.startsWith(`${around}.`) ? id.slice(around.length + 1) : id;
}

/** By index, whether a state is one that is wanted: a grid has two million cells, and all of them are looked at. */
function markStates(grid: Grid, only: Only): boolean[] {
  return grid.states.map((state) => (only === "failed" ? FAILED_STATES.has(state) : !ENDED_STATES.has(state)));
}

function hasState(cells: GridCell[], isWanted: readonly boolean[]): boolean {
  return cells.some((cell) =>
    typeof cell === "number"
      ? isWanted[cell]
      : cell !== null && (cell as [number, number][]).some(([state]) => isWanted[state]),
  );
}

/** How many tasks have failed, and how many have not ended, in one of the runs. */
export function countTasks(grid: Grid): Record<"failed" | "unfinished", number> {
  const count = (only: Only) => {
    const isWanted = markStates(grid, only);
    return isWanted.includes(true) ? grid.cells.filter((cells) => hasState(cells, isWanted)).length : 0;
  };
  return { failed: count("failed"), unfinished: count("unfinished") };
}

/** The states of a row in one run. */
export function readRow(grid: Grid, row: GridRow, column: number): StateCounts {
  const [first] = row.tasks;
  if (row.tasks.length === 1 && first !== undefined) return readCell(grid.states, grid.cells[first]?.[column]);
  return addCounts(row.tasks.map((task) => readCell(grid.states, grid.cells[task]?.[column])));
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
    const row = rows[at % height];
    if (row && row.isFolded !== false && readRow(grid, row, column).some(([state]) => state === "failed"))
      return { row: at % height, column };
  }
  return undefined;
}

/** The place after a key that moves; `page` is the number of rows in view. */
export function move(place: Place, key: string, height: number, width: number, page = 10): Place | undefined {
  const steps: Record<string, [number, number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-page, 0],
    PageDown: [page, 0],
    Home: [0, -width],
    End: [0, width],
  };
  const step = steps[key];
  if (!step) return undefined;
  return { row: clamp(place.row + step[0], height), column: clamp(place.column + step[1], width) };
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}
