/** The states and times of the tasks in the run that the graph shows. */

import type { Grid, RunTimeline, Structure } from "../../../api/shapes";
import { addCounts, readCell, type StateCounts } from "../cellStates";

/** When a task began and ended, in ms since 1970. */
export interface Span {
  start: number;
  /** Undefined: it runs. */
  end: number | undefined;
}

/** For each task of the structure its states; empty without an instance. */
export function collectStates(structure: Structure, column: Grid | undefined): StateCounts[] {
  const rows = new Map(column?.task_ids.map((taskId, at) => [taskId, at]));
  return structure.tasks.map((task) => {
    const row = rows.get(task.task_id);
    return column && row !== undefined ? readCell(column.states, column.cells[row]?.[0]) : [];
  });
}

/** For each task of the structure from the start of its first instance to the end of its last one; undefined: none has started. */
export function collectSpans(structure: Structure, timeline: RunTimeline | undefined): (Span | undefined)[] {
  const spans = new Map<string, Span>();
  for (const [task, , , , start, end] of timeline?.instances ?? []) {
    const taskId = timeline?.task_ids[task];
    if (taskId === undefined || start === null) continue;
    const own = { start, end: end ?? undefined };
    spans.set(taskId, joinSpans(spans.get(taskId), own) as Span);
  }
  return structure.tasks.map(({ task_id }) => spans.get(task_id));
}

export function joinSpans(a: Span | undefined, b: Span | undefined): Span | undefined {
  if (!a || !b) return a ?? b;
  return {
    start: Math.min(a.start, b.start),
    end: a.end === undefined || b.end === undefined ? undefined : Math.max(a.end, b.end),
  };
}

/** The states of all tasks for which a node stands. */
export function sumStates(states: readonly StateCounts[], tasks: readonly number[]): StateCounts {
  return tasks.length === 1 ? (states[tasks[0] as number] ?? []) : addCounts(tasks.map((task) => states[task] ?? []));
}
