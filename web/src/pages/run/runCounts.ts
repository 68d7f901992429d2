/** How many task instances of a run are in each state. */

import { useQuery } from "@tanstack/react-query";
import { type RunTasks, runTasksQuery } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { FAILED } from "./taskRows";

export type RunCounts = Record<string, number>;

export function useRunTasks(run: DagRun): RunTasks | undefined {
  return useQuery(runTasksQuery(run.dag_id, run.dag_run_id)).data;
}

export function sumCounts(found: RunTasks): RunCounts {
  const sum: RunCounts = {};
  for (const { counts } of found.tasks)
    for (const [state, count] of Object.entries(counts)) sum[state] = (sum[state] ?? 0) + count;
  return sum;
}

/** Those that "run what failed again" clears. */
export function countFailed(counts: RunCounts): number {
  return FAILED.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}
