/** The states of the tasks in the run that the graph shows. */

import type { Grid, Structure } from "../../../api/shapes";
import { addCounts, readCell, type StateCounts } from "../cellStates";

/** For each task of the structure its states; empty without an instance. */
export function collectStates(structure: Structure, column: Grid | undefined): StateCounts[] {
  const rows = new Map(column?.task_ids.map((taskId, at) => [taskId, at]));
  return structure.tasks.map((task) => {
    const row = rows.get(task.task_id);
    return column && row !== undefined ? readCell(column.states, column.cells[row]?.[0]) : [];
  });
}

/** The states of all tasks for which a node stands. */
export function sumStates(states: StateCounts[], tasks: readonly number[]): StateCounts {
  return tasks.length === 1 ? (states[tasks[0] as number] ?? []) : addCounts(tasks.map((task) => states[task] ?? []));
}
