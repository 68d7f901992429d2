/** What the pages of a run and of a task read and change. */

import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { change, part, read } from "./client";
import { dagPath, type InstancePlace, runPath } from "./queries";
import type { components } from "./schema";
import type { DagRun, DagRunList } from "./shapes";

type Schemas = components["schemas"];
export type RunTasks = Omit<Schemas["RunTasksAnswer"], "instances"> & {
  instances: [number, number, number, number, number | null, number | null, string | null][];
};
export type RunTask = RunTasks["tasks"][number];
export type XComList = Schemas["XComCollectionResponse"];
export type XComValue = Schemas["XComResponseNative"];
export type ExtraLinks = Schemas["ExtraLinkCollectionResponse"];
export type TaskInstances = Schemas["TaskInstanceCollectionResponse"];
export type Deferral = Schemas["DeferralAnswer"];
export type Condition = Schemas["ConditionAnswer"];
export type Release = Schemas["ReleaseAnswer"];

const OWN = "/api/gnomon/v1";
const runKey = (dagId: string, runId: string) => ["dag", dagId, "run", runId];
const taskKey = (at: InstancePlace) => [...runKey(at.dagId, at.runId), "task", at.taskId, at.mapIndex];
const instancePath = (at: InstancePlace) => `${runPath(at.dagId, at.runId)}/taskInstances/${part(at.taskId)}`;

export const runTasksQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: [...runKey(dagId, runId), "columns"],
    queryFn: () => readSpaced(`${OWN}/dags/${part(dagId)}/dagRuns/${part(runId)}/tasks`),
    placeholderData: keepPreviousData,
  });

/** The last read of the tasks of a run: a run of thousands that changes all the time is read for at most a quarter of the time. */
const lastRead = { path: "", ended: 0, took: 0 };
const REST = 3;

async function readSpaced(path: string): Promise<RunTasks> {
  const rest = lastRead.path === path ? lastRead.ended + REST * lastRead.took - performance.now() : 0;
  if (rest > 0) await new Promise((done) => setTimeout(done, rest));
  const started = performance.now();
  const found = await read<RunTasks>(path);
  const ended = performance.now();
  Object.assign(lastRead, { path, ended, took: ended - started });
  return found;
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
      const path = `${dagPath(run.dag_id)}/dagRuns`;
      const [before, after] = await Promise.all([
        read<DagRunList>(path, { run_after_lte: run.run_after, order_by: "-run_after", limit: SAME_MOMENT_MAX }),
        read<DagRunList>(path, { run_after_gte: run.run_after, order_by: "run_after", limit: SAME_MOMENT_MAX }),
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

export const xcomsQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "xcoms"],
    queryFn: () =>
      read<XComList>(`${instancePath(at)}/xcomEntries`, { map_index: at.mapIndex, limit: 1000, order_by: "key" }),
  });

export const xcomQuery = (at: InstancePlace, key: string) =>
  queryOptions({
    queryKey: [...taskKey(at), "xcom", key],
    queryFn: () =>
      read<XComValue>(`${instancePath(at)}/xcomEntries/${part(key)}`, { map_index: at.mapIndex, deserialize: true }),
  });

export const deferralQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "deferral"],
    queryFn: () =>
      read<Deferral>(
        `${OWN}/dags/${part(at.dagId)}/dagRuns/${part(at.runId)}/taskInstances/${part(at.taskId)}/deferral`,
        { map_index: at.mapIndex },
      ),
    retry: false,
  });

/** The task of the newest version of its DAG. */
export const taskSpecQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: ["dag", at.dagId, "tasks", at.taskId],
    queryFn: () => read<Schemas["TaskResponse"]>(`${dagPath(at.dagId)}/tasks/${part(at.taskId)}`),
    retry: false,
  });

export const linksQuery = (at: InstancePlace) =>
  queryOptions({
    queryKey: [...taskKey(at), "links"],
    queryFn: () => read<ExtraLinks>(`${instancePath(at)}/links`, { map_index: at.mapIndex }),
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
  const run = runPath(place.dagId, place.runId);
  if (place.taskId === undefined) return change("PATCH", `${run}?update_mask=note`, { note });
  const index = place.mapIndex !== undefined && place.mapIndex >= 0 ? `/${place.mapIndex}` : "";
  return change("PATCH", `${run}/taskInstances/${part(place.taskId)}${index}?update_mask=note`, { note });
}

/** Do what meets a condition. Undefined: the page cannot do it, and the text of the condition says who can. */
export function findReleaseRequest(release: Release): (() => Promise<unknown>) | undefined {
  const dag = release.dag_id ?? "";
  const run = release.run_id ?? "";
  const task = release.task_id ?? "";
  switch (release.act) {
    case "unpause_dag":
      return () => change("PATCH", dagPath(dag), { is_paused: false });
    case "release_run":
      return () =>
        change("POST", `${OWN}/dags/${part(dag)}/operations/runs.release`, {
          run_id: run,
          up_dag: release.upstream_dag_id,
        });
    case "set_pool":
      return () => setPool(release.pool ?? "", release.slots ?? 1);
    case "clear_run":
      return () => change("POST", `${runPath(dag, run)}/clear`, { dry_run: false, only_failed: true });
    case "clear_task":
      return () =>
        change("POST", `${dagPath(dag)}/clearTaskInstances`, {
          dry_run: false,
          dag_run_id: run,
          task_ids: [release.map_index < 0 ? task : [task, release.map_index]],
          only_failed: false,
          include_downstream: true,
        });
    case "mark_task":
      return () =>
        change(
          "PATCH",
          `${runPath(dag, run)}/taskInstances/${part(task)}${release.map_index < 0 ? "" : `/${release.map_index}`}`,
          { new_state: "success" },
        );
    default:
      return undefined;
  }
}

async function setPool(pool: string, slots: number): Promise<unknown> {
  const path = `/api/v2/pools/${part(pool)}`;
  try {
    await read(path);
  } catch (error) {
    if ((error as { status?: number }).status === 404) return change("POST", "/api/v2/pools", { name: pool, slots });
    throw error;
  }
  return change("PATCH", `${path}?update_mask=slots`, { slots });
}
