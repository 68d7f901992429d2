/** What runs now, with the instances of a mapped task as one line. */

import type { Work } from "../../api/shapes";

type Task = Work["running"][number];

export interface RunningTask extends Task {
  /** The instances of the mapped task that run. */
  count: number;
}

const INDEX = /\[\d+\]$/;

/** The lines in the order of their first task; of several instances, the one that has run for longest. */
export function groupRunning(running: readonly Task[]): RunningTask[] {
  const lines = new Map<string, RunningTask>();
  for (const one of running) {
    const task = one.task.replace(INDEX, "");
    const key = JSON.stringify([one.dag_id, one.run_id, task]);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { ...one, count: 1 });
    else
      lines.set(key, {
        ...(isBefore(one.since, line.since) ? one : line),
        task,
        count: line.count + 1,
      });
  }
  return [...lines.values()];
}

function isBefore(one: string | null | undefined, other: string | null | undefined): boolean {
  return Boolean(one) && (!other || Date.parse(one as string) < Date.parse(other));
}
