/** What the page reads. The keys begin with what a change event is about, so that an event can make them stale. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { t } from "../state/language";
import { nameRun } from "../state/runNames";
import { readZone } from "../state/times";
import { ApiError, get } from "./client";
import { type InstancePlace, placeOfInstance, placeOfRun, placeOfTask } from "./places";
import type { TaskInstance } from "./shapes";

const SERVICES_MS = 5_000;
/** Every page that is open asks: a service may be silent for a while before each of them says so. */
const SILENCE_MS = 15_000;

/** Rows of a page in lists that are read by page numbers. */
export const PAGE_SIZE = 50;
const SUGGESTIONS = 50;

/** The first DAGs whose id contains a text, for a field that suggests them. */
export const dagSuggestionsQuery = (search: string | undefined) =>
  queryOptions({
    queryKey: ["dags", "suggestions", search],
    queryFn: () =>
      get("/api/v2/dags", { query: { limit: SUGGESTIONS, dag_id_pattern: toPattern(search), order_by: "dag_id" } }),
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
    queryFn: () => get("/api/v2/dags/{dag_id}/details", { path: { dag_id: dagId } }),
  });

export const nextRunsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next"],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/nextRuns", { path: { dag_id: dagId }, query: { limit: 10 } }),
  });

export const dagExplanationQuery = (dagId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "explain"],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/explain", { path: { dag_id: dagId } }),
  });

export const runQuery = (dagId: string, runId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "run", runId],
    queryFn: () => get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", { path: placeOfRun({ dagId, runId }) }),
  });

export const runExplanationQuery = (dagId: string, runId: string) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: ["dag", dagId, "run", runId, "explain"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/explain", { path: placeOfRun({ dagId, runId }) }),
  });

const instanceKey = (at: InstancePlace) => ["dag", at.dagId, "run", at.runId, "task", at.taskId, at.mapIndex];

export const instanceQuery = (at: InstancePlace) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: instanceKey(at),
    queryFn: () =>
      at.mapIndex < 0
        ? readUnmapped(at)
        : get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}", {
            path: placeOfInstance(at),
          }),
  });

/** With the fields that the list of instances leaves out: rendered templates. The instance must be known to exist. */
export const wholeInstanceQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "whole"],
    queryFn: () =>
      at.mapIndex < 0
        ? get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", { path: placeOfTask(at) })
        : get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}", {
            path: placeOfInstance(at),
          }),
  });

export const triesQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...instanceKey(at), "tries"],
    queryFn: () =>
      at.mapIndex < 0
        ? get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/tries", { path: placeOfTask(at) })
        : get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/tries", {
            path: placeOfInstance(at),
          }),
  });

export const taskExplanationQuery = (at: InstancePlace) =>
  queryOptions({
    ...ASKED_ON_OPENING,
    queryKey: [...instanceKey(at), "explain"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/explain", {
        path: placeOfTask(at),
        query: {
          map_index: at.mapIndex,
        },
      }),
  });

export const workQuery = () => queryOptions({ queryKey: ["work"], queryFn: () => get("/api/gnomon/v1/work") });

export const servicesQuery = () =>
  queryOptions({
    queryKey: ["services"],
    queryFn: () => get("/api/gnomon/v1/services"),
    refetchInterval: SERVICES_MS,
  });

/** The services that are not alive; every page says so. */
export const silentServicesQuery = () =>
  queryOptions({
    queryKey: ["services", "silent"],
    queryFn: () => get("/api/gnomon/v1/services/silent").then((found) => found.silent),
    refetchInterval: SILENCE_MS,
  });

export const importErrorsQuery = () =>
  queryOptions({ queryKey: ["errors"], queryFn: () => get("/api/v2/importErrors", { query: { limit: 100 } }) });

/** The instance of a task that is not mapped. Raises ApiError (404) for a mapped one, whose list of instances is asked for: a page may not know which it is. */
async function readUnmapped(at: InstancePlace): Promise<TaskInstance> {
  const found = await get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
    path: placeOfRun(at),
    query: {
      task_id: at.taskId,
      limit: 2,
    },
  });
  const [one] = found.task_instances;
  if (one === undefined || one.map_index >= 0 || found.task_instances.length > 1)
    throw new ApiError(
      404,
      t("Run {run} has no instance of task {task}.", { run: nameRun(at.runId, readZone()), task: at.taskId }),
    );
  return one;
}
