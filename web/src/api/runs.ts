/** What the pages of a run and of a task read and change. */

import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { get, patch, post } from "./client";
import { type InstancePlace, placeOfInstance, placeOfRun, placeOfTask } from "./places";
import type { components } from "./schema";
import type { DagRun } from "./shapes";

type Schemas = components["schemas"];
export type RunTasks = Omit<Schemas["RunTasksAnswer"], "instances"> & {
  instances: [number, number, number, number, number | null, number | null, string | null][];
};
export type RunTask = RunTasks["tasks"][number];
export type TaskInstances = Schemas["TaskInstanceCollectionResponse"];
export type Deferral = Schemas["DeferralAnswer"];
export type Condition = Schemas["ConditionAnswer"];
export type RunDifferences = Schemas["RunDifferencesAnswer"];
export type Release = Schemas["ReleaseAnswer"];

const runKey = (dagId: string, runId: string) => ["dag", dagId, "run", runId];
const taskKey = (at: InstancePlace) => [...runKey(at.dagId, at.runId), "task", at.taskId, at.mapIndex];

export const runTasksQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: [...runKey(dagId, runId), "columns"],
    queryFn: () => readSpaced(placeOfRun({ dagId, runId })),
    placeholderData: keepPreviousData,
  });

/** The last read of the tasks of a run: a run of thousands that changes all the time is read for at most a quarter of the time. */
const lastRead = { run: "", ended: 0, took: 0 };
const REST = 3;

async function readSpaced(path: ReturnType<typeof placeOfRun>): Promise<RunTasks> {
  const run = JSON.stringify(path);
  const rest = lastRead.run === run ? lastRead.ended + REST * lastRead.took - performance.now() : 0;
  if (rest > 0) await new Promise((done) => setTimeout(done, rest));
  const started = performance.now();
  const found = await get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/tasks", { path });
  const ended = performance.now();
  Object.assign(lastRead, { run, ended, took: ended - started });
  return found as RunTasks;
}

/** Runs that are due at the same moment as the run, more than these, hide its neighbours. */
const SAME_MOMENT_MAX = 20;

export interface Neighbours {
  previous: DagRun | undefined;
  next: DagRun | undefined;
}

/** The run before and the run after this one, in the order of the moments when they are due, as the grid has them. */
export const neighboursQuery = (run: DagRun) =>
  queryOptions({
    queryKey: [...runKey(run.dag_id, run.dag_run_id), "neighbours", run.run_after],
    queryFn: async (): Promise<Neighbours> => {
      const path = { dag_id: run.dag_id };
      const [before, after] = await Promise.all([
        get("/api/v2/dags/{dag_id}/dagRuns", {
          path,
          query: { run_after_lte: run.run_after, order_by: "-run_after", limit: SAME_MOMENT_MAX },
        }),
        get("/api/v2/dags/{dag_id}/dagRuns", {
          path,
          query: { run_after_gte: run.run_after, order_by: "run_after", limit: SAME_MOMENT_MAX },
        }),
      ]);
      return {
        previous: findBehind(before.dag_runs, run.dag_run_id),
        next: findBehind(after.dag_runs, run.dag_run_id),
      };
    },
  });

/** The run behind this one in the list; undefined when it is the last, or is not in the list. */
export function findBehind<T extends { dag_run_id: string }>(runs: readonly T[], runId: string): T | undefined {
  const at = runs.findIndex((one) => one.dag_run_id === runId);
  return at < 0 ? undefined : runs[at + 1];
}

/** What is different from the last successful run; of a run that goes on it changes with each task. */
export const differencesQuery = (run: DagRun) =>
  queryOptions({
    queryKey: [...runKey(run.dag_id, run.dag_run_id), "differences"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/differences", {
        path: { dag_id: run.dag_id, dag_run_id: run.dag_run_id },
      }),
    retry: false,
  });

export const xcomsQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "xcoms"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", {
        path: placeOfTask(at),
        query: { map_index: at.mapIndex, limit: 1000, order_by: "key" },
      }),
  });

export const xcomQuery = (at: InstancePlace, key: string) =>
  queryOptions({
    queryKey: [...taskKey(at), "xcom", key],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}", {
        path: { dag_id: at.dagId, dag_run_id: at.runId, task_id: at.taskId, xcom_key: key },
        query: { map_index: at.mapIndex, deserialize: true },
      }),
  });

export const deferralQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "deferral"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/deferral", {
        path: placeOfTask(at),
        query: { map_index: at.mapIndex },
      }),
    retry: false,
  });

/** The task of the newest version of its DAG. */
export const taskSpecQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: ["dag", at.dagId, "tasks", at.taskId],
    queryFn: () => get("/api/v2/dags/{dag_id}/tasks/{task_id}", { path: { dag_id: at.dagId, task_id: at.taskId } }),
    retry: false,
  });

export const linksQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "links"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/links", {
        path: placeOfTask(at),
        query: { map_index: at.mapIndex },
      }),
  });

/** Ask the server to change something of the run; what the page shows of the DAG is read anew, and the answer is kept until the next request. */
export function useRunChange<A, T = unknown>(dagId: string, send: (options: A) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: send, onSuccess: () => client.invalidateQueries({ queryKey: ["dag", dagId] }) });
}

export interface NotePlace {
  dagId: string;
  runId: string;
  taskId?: string;
  mapIndex?: number;
}

export function saveNote(place: NotePlace, note: string) {
  const { dagId, runId, taskId, mapIndex = -1 } = place;
  const query = { update_mask: ["note"] };
  if (taskId === undefined)
    return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", { path: placeOfRun(place), query, body: { note } });
  return patchInstance({ dagId, runId, taskId, mapIndex }, { note }, query);
}

/** Change the instance of a task, with a negative map index all of them. */
function patchInstance(
  at: InstancePlace,
  body: { note?: string; new_state?: "success" },
  query?: { update_mask: string[] },
) {
  if (at.mapIndex < 0)
    return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", {
      path: placeOfTask(at),
      query,
      body,
    });
  return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}", {
    path: placeOfInstance(at),
    query,
    body,
  });
}

/** Do what meets a condition. Undefined: the page cannot do it, and the text of the condition says who can. */
export function findReleaseRequest(release: Release): (() => Promise<unknown>) | undefined {
  const dag = release.dag_id ?? "";
  const run = release.run_id ?? "";
  const task = release.task_id ?? "";
  switch (release.act) {
    case "unpause_dag":
      return () => patch("/api/v2/dags/{dag_id}", { path: { dag_id: dag }, body: { is_paused: false } });
    case "release_run":
      return () =>
        post("/api/gnomon/v1/dags/{dag_id}/operations/runs.release", {
          path: { dag_id: dag },
          body: {
            run_id: run,
            up_dag: release.upstream_dag_id,
          },
        });
    case "set_pool":
      return () => setPool(release.pool ?? "", release.slots ?? 1);
    case "clear_run":
      return () =>
        post("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/clear", {
          path: { dag_id: dag, dag_run_id: run },
          body: { dry_run: false, only_failed: true },
        });
    case "clear_task":
      return () =>
        post("/api/v2/dags/{dag_id}/clearTaskInstances", {
          path: { dag_id: dag },
          body: {
            dry_run: false,
            dag_run_id: run,
            task_ids: [release.map_index < 0 ? task : [task, release.map_index]],
            only_failed: false,
            include_downstream: true,
          },
        });
    case "mark_task":
      return () =>
        patchInstance({ dagId: dag, runId: run, taskId: task, mapIndex: release.map_index }, { new_state: "success" });
    default:
      return undefined;
  }
}

async function setPool(pool: string, slots: number): Promise<unknown> {
  const path = { pool_name: pool };
  try {
    await get("/api/v2/pools/{pool_name}", { path });
  } catch (error) {
    if ((error as { status?: number }).status === 404) return post("/api/v2/pools", { body: { name: pool, slots } });
    throw error;
  }
  return patch("/api/v2/pools/{pool_name}", { path, query: { update_mask: ["slots"] }, body: { slots } });
}
