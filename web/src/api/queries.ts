/** What the page reads. The keys begin with what a change event is about, so that an event can make them stale. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { part, read } from "./client";
import type {
  Dag, DagDetails, DagList, DagRun, DagRunList, Explanation, Grid, ImportErrorList, NextRuns, Services, TaskInstance, TaskInstanceList, TaskLog, Work,
} from "./shapes";

const V2 = "/api/v2";
const OWN = "/api/gnomon/v1";
export const PAGE_SIZE = 50;
const SERVICES_MS = 5_000;
const RUNNING_LOG_MS = 1_000;

export interface DagFilters {
  search?: string;
  tag?: string;
  paused?: "true" | "false";
  state?: string;
  errors?: "true";
  page?: number;
}

export const dagsQuery = (filters: DagFilters) =>
  queryOptions({
    queryKey: ["dags", filters],
    queryFn: () =>
      read<DagList>(`${V2}/dags`, {
        limit: PAGE_SIZE, offset: ((filters.page ?? 1) - 1) * PAGE_SIZE, dag_id_pattern: toPattern(filters.search), tags: filters.tag ? [filters.tag] : [],
        paused: filters.paused, last_dag_run_state: filters.state, has_import_errors: filters.errors, order_by: "dag_id",
      }),
    placeholderData: keepPreviousData,
  });

/** A text that is searched for anywhere: the characters that stand for others in a pattern are taken as they are. */
export function toPattern(search: string | undefined): string | undefined {
  return search ? `%${search.replace(/[\\%_]/g, "\\$&")}%` : undefined;
}

export const dagQuery = (dagId: string) => queryOptions({ queryKey: ["dag", dagId], queryFn: () => read<DagDetails>(`${V2}/dags/${part(dagId)}/details`) });

export const gridQuery = (dagId: string, runs: number) =>
  queryOptions({ queryKey: ["dag", dagId, "grid", runs], queryFn: () => read<Grid>(`${OWN}/dags/${part(dagId)}/grid`, { runs }), placeholderData: keepPreviousData });

export const nextRunsQuery = (dagId: string) =>
  queryOptions({ queryKey: ["dag", dagId, "next"], queryFn: () => read<NextRuns>(`${OWN}/dags/${part(dagId)}/nextRuns`, { limit: 10 }) });

export const dagExplanationQuery = (dagId: string) =>
  queryOptions({ queryKey: ["dag", dagId, "explain"], queryFn: () => read<Explanation>(`${OWN}/dags/${part(dagId)}/explain`) });

export const runQuery = (dagId: string, runId: string) =>
  queryOptions({ queryKey: ["dag", dagId, "run", runId], queryFn: () => read<DagRun>(runPath(dagId, runId)) });

export const runExplanationQuery = (dagId: string, runId: string) =>
  queryOptions({ queryKey: ["dag", dagId, "run", runId, "explain"], queryFn: () => read<Explanation>(`${ownRunPath(dagId, runId)}/explain`) });

export const tasksQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "run", runId, "tasks"],
    queryFn: () => read<TaskInstanceList>(`${runPath(dagId, runId)}/taskInstances`, { limit: 1000 }),
  });

/** The instances of one task in a run: one, or those of a mapped task. */
export const instancesQuery = (dagId: string, runId: string, taskId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "run", runId, "tasks", taskId],
    queryFn: () => read<TaskInstanceList>(`${runPath(dagId, runId)}/taskInstances`, { task_id: taskId, limit: 1000, order_by: "map_index" }),
  });

export interface InstancePlace {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex: number;
}

const instanceKey = (at: InstancePlace) => ["dag", at.dagId, "run", at.runId, "task", at.taskId, at.mapIndex];

export const instanceQuery = (at: InstancePlace) =>
  queryOptions({ queryKey: instanceKey(at), queryFn: () => read<TaskInstance>(`${taskPath(at)}${at.mapIndex < 0 ? "" : `/${at.mapIndex}`}`) });

export const triesQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "tries"],
    queryFn: () => read<TaskInstanceList>(`${taskPath(at)}${at.mapIndex < 0 ? "" : `/${at.mapIndex}`}/tries`),
  });

export const taskExplanationQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "explain"],
    queryFn: () => read<Explanation>(`${ownRunPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}/explain`, { map_index: at.mapIndex }),
  });

/** The log of a try; a running one is read again each second, because its lines are no changes. */
export const logQuery = (at: InstancePlace, tryNumber: number, isRunning: boolean) =>
  queryOptions({
    queryKey: [...instanceKey(at), "log", tryNumber],
    queryFn: () => read<TaskLog>(`${taskPath(at)}/logs/${tryNumber}`, { map_index: at.mapIndex, full_content: true }),
    enabled: tryNumber > 0,
    refetchInterval: isRunning ? RUNNING_LOG_MS : false,
  });

export const failedRunsQuery = () =>
  queryOptions({ queryKey: ["runs", "failed"], queryFn: () => read<DagRunList>(`${V2}/dags/~/dagRuns`, { state: ["failed"], limit: 20, order_by: "-run_after" }) });

export const workQuery = () => queryOptions({ queryKey: ["work"], queryFn: () => read<Work>(`${OWN}/work`) });

export const servicesQuery = () =>
  queryOptions({ queryKey: ["services"], queryFn: () => read<Services>(`${OWN}/services`), refetchInterval: SERVICES_MS });

export const importErrorsQuery = () => queryOptions({ queryKey: ["errors"], queryFn: () => read<ImportErrorList>(`${V2}/importErrors`, { limit: 100 }) });

export function runPath(dagId: string, runId: string): string {
  return `${V2}/dags/${part(dagId)}/dagRuns/${part(runId)}`;
}

export function dagPath(dag: Dag["dag_id"]): string {
  return `${V2}/dags/${part(dag)}`;
}

function ownRunPath(dagId: string, runId: string): string {
  return `${OWN}/dags/${part(dagId)}/dagRuns/${part(runId)}`;
}

function taskPath(at: InstancePlace): string {
  return `${runPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}`;
}
