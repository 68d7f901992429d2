/** Because of what a run or a task instance ended badly: the task instances that failed themselves, not those that did not run because of them. */

import type { Condition } from "../api/runs";
import type { Explanation } from "../api/shapes";

export interface Cause {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex: number;
  /** The error, or another stored reason; undefined: none is stored. */
  error: string | undefined;
  endedAt: string | null;
}

/** The failed tasks below an outcome, the one that failed first in front. */
export function findCauses(conditions: readonly Condition[]): Cause[] {
  return conditions
    .filter((one) => one.kind === "outcome" && !one.met)
    .flatMap((one) => one.children)
    .flatMap((one) => readCause(one) ?? [])
    .toSorted((one, other) => (one.endedAt ?? "").localeCompare(other.endedAt ?? ""));
}

interface Told {
  code?: string;
  arguments?: Record<string, unknown>;
}

function readCause({ arguments: { subject, why }, since }: Condition): Cause | undefined {
  const task = (subject as Told | undefined)?.arguments?.task as
    { dag_id: string; run_id: string; task_id: string; map_index: number } | undefined;
  const ended = why as Told | undefined;
  if (task === undefined || ended?.code !== "task_ended" || ended.arguments?.state === "upstream_failed")
    return undefined;
  return {
    dagId: task.dag_id,
    runId: task.run_id,
    taskId: task.task_id,
    mapIndex: task.map_index,
    error: readError(ended),
    endedAt: since,
  };
}

/** The task that the line "why" of a run names, by its id and map index; undefined: it names none. */
export function findNamedTask({ conditions, coded }: Explanation): Pick<Cause, "taskId" | "mapIndex"> | undefined {
  const cause = findCauses(conditions)[0];
  if (cause) return cause;
  const subject = coded.find((one) => one.is_condition)?.arguments.subject as Told | undefined;
  const task = subject?.arguments?.task as { task_id: string; map_index: number } | undefined;
  return task && { taskId: task.task_id, mapIndex: task.map_index };
}

/** The reason that is stored with the end of a task, which is a text of its author. */
export function readError(ended: Told): string | undefined {
  const stored = ended.arguments?.stored as Told | null | undefined;
  const text = (stored?.arguments?.why as Told | undefined)?.arguments?.text;
  return typeof text === "string" && text !== "" ? text : undefined;
}
