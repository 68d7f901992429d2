/** What a user does: each change makes stale what it touches, and the events of the server say the rest. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "./client";
import { dagPath } from "./queries";
import type { DagRun } from "./shapes";

export function usePause(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (paused: boolean) => change("PATCH", dagPath(dagId), { is_paused: paused }),
    onSuccess: () => Promise.all([client.invalidateQueries({ queryKey: ["dags"] }), client.invalidateQueries({ queryKey: ["dag", dagId] })]),
  });
}

export function useTrigger(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (conf: Record<string, unknown>) => change<DagRun>("POST", `${dagPath(dagId)}/dagRuns`, { logical_date: null, conf }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["dag", dagId] }),
  });
}

export interface ClearOptions {
  runId: string;
  taskIds: (string | [string, number])[];
  downstream: boolean;
  onlyFailed: boolean;
  dryRun: boolean;
}

export interface Cleared {
  task_instances: { task_id: string; map_index: number; state: string | null }[];
  total_entries: number;
}

export function useClear(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (options: ClearOptions) =>
      change<Cleared>("POST", `${dagPath(dagId)}/clearTaskInstances`, {
        dry_run: options.dryRun, dag_run_id: options.runId, task_ids: options.taskIds, include_downstream: options.downstream,
        only_failed: options.onlyFailed, reset_dag_runs: true,
      }),
    onSuccess: (_cleared, options) => (options.dryRun ? undefined : client.invalidateQueries({ queryKey: ["dag", dagId] })),
  });
}
