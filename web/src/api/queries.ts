/** What the page reads. The keys begin with what a change event is about, so that an event can make them stale. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { t } from "../state/language";
import { ApiError, part, read } from "./client";
import type {
  Dag,
  DagDetails,
  DagList,
  DagRun,
  Explanation,
  ImportErrorList,
  NextRuns,
  Services,
  TaskInstance,
  TaskInstanceList,
  Work,
} from "./shapes";

const V2 = "/api/v2";
const OWN = "/api/gnomon/v1";
const SERVICES_MS = 5_000;

/** Rows of a page in lists that are read by page numbers. */
export const PAGE_SIZE = 50;
const SUGGESTIONS = 50;

/** The first DAGs whose id contains a text, for a field that suggests them. */
export const dagSuggestionsQuery = (search: string | undefined) =>
  queryOptions({
    queryKey: ["dags", "suggestions", search],
    queryFn: () =>
      read<DagList>(`${V2}/dags`, { limit: SUGGESTIONS, dag_id_pattern: toPattern(search), order_by: "dag_id" }),
    placeholderData: keepPreviousData,
  });

/** A text that is searched for anywhere. The API knows no escape: `_` finds itself and any other character, `%` any text. */
export function toPattern(search: string | undefined): string | undefined {
  return search || undefined;
}

/** Of what a view asks for when it is opened (`pages/viewData.ts`): a refusal that is there when the view is drawn is not asked for a second time. */
const ASKED_ON_OPENING = { retryOnMount: false };

export const dagQuery = (dagId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId],
    queryFn: () => read<DagDetails>(`${V2}/dags/${part(dagId)}/details`),
  });

export const nextRunsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next"],
    queryFn: () => read<NextRuns>(`${OWN}/dags/${part(dagId)}/nextRuns`, { limit: 10 }),
  });

export const dagExplanationQuery = (dagId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "explain"],
    queryFn: () => read<Explanation>(`${OWN}/dags/${part(dagId)}/explain`),
  });

export const runQuery = (dagId: string, runId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "run", runId],
    queryFn: () => read<DagRun>(runPath(dagId, runId)),
  });

export const runExplanationQuery = (dagId: string, runId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "run", runId, "explain"],
    queryFn: () => read<Explanation>(`${ownRunPath(dagId, runId)}/explain`),
  });

export interface InstancePlace {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex: number;
}

const instanceKey = (at: InstancePlace) => ["dag", at.dagId, "run", at.runId, "task", at.taskId, at.mapIndex];

export const instanceQuery = (at: InstancePlace) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: instanceKey(at),
    queryFn: () => (at.mapIndex < 0 ? readUnmapped(at) : read<TaskInstance>(`${taskPath(at)}/${at.mapIndex}`)),
  });

/** With the fields that the list of instances leaves out: rendered templates. The instance must be known to exist. */
export const wholeInstanceQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "whole"],
    queryFn: () => read<TaskInstance>(`${taskPath(at)}${at.mapIndex < 0 ? "" : `/${at.mapIndex}`}`),
  });

export const triesQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "tries"],
    queryFn: () => read<TaskInstanceList>(`${taskPath(at)}${at.mapIndex < 0 ? "" : `/${at.mapIndex}`}/tries`),
  });

export const taskExplanationQuery = (at: InstancePlace) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: [...instanceKey(at), "explain"],
    queryFn: () =>
      read<Explanation>(`${ownRunPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}/explain`, {
        map_index: at.mapIndex,
      }),
  });

export const workQuery = () => queryOptions({ queryKey: ["work"], queryFn: () => read<Work>(`${OWN}/work`) });

export const servicesQuery = () =>
  queryOptions({
    queryKey: ["services"],
    queryFn: () => read<Services>(`${OWN}/services`),
    refetchInterval: SERVICES_MS,
  });

export const importErrorsQuery = () =>
  queryOptions({ queryKey: ["errors"], queryFn: () => read<ImportErrorList>(`${V2}/importErrors`, { limit: 100 }) });

export function runPath(dagId: string, runId: string): string {
  return `${V2}/dags/${part(dagId)}/dagRuns/${part(runId)}`;
}

export function dagPath(dag: Dag["dag_id"]): string {
  return `${V2}/dags/${part(dag)}`;
}

function ownRunPath(dagId: string, runId: string): string {
  return `${OWN}/dags/${part(dagId)}/dagRuns/${part(runId)}`;
}

/** The instance of a task that is not mapped. Raises ApiError (404) for a mapped one, whose list of instances is asked for: a page may not know which it is. */
async function readUnmapped(at: InstancePlace): Promise<TaskInstance> {
  const found = await read<TaskInstanceList>(`${runPath(at.dagId, at.runId)}/taskInstances`, {
    task_id: at.taskId,
    limit: 2,
  });
  const [one] = found.task_instances;
  if (one === undefined || one.map_index >= 0 || found.task_instances.length > 1)
    throw new ApiError(404, t("Run {run} has no instance of task {task}.", { run: at.runId, task: at.taskId }));
  return one;
}

function taskPath(at: InstancePlace): string {
  return `${runPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}`;
}
