/** Acts on a run or on task instances: what each would touch, and doing it. */

import { get, patch, post, remove } from "./client";
import type { TaskInstances } from "./runs";

export type ActName = "clear" | "delete" | Mark;
/** The states that a user gives; a run is offered no "skipped". */
export type Mark = RunMark | "skipped";
type RunMark = "success" | "failed";

/** What an act is about: a run; with `taskId` a task or one instance of it; with `groupId` all tasks of a group. */
export interface ActTarget {
  dagId: string;
  runId: string;
  taskId?: string;
  mapIndex?: number;
  groupId?: string;
  groupTasks?: string[];
}

export interface ActScope {
  upstream?: boolean;
  downstream?: boolean;
  past?: boolean;
  future?: boolean;
  onlyFailed?: boolean;
  group?: boolean;
  allIndexes?: boolean;
  /** Also the runs of other DAGs that waited for the run. */
  otherDags?: boolean;
}

export interface Touched {
  dagId: string;
  runId: string;
  /** Undefined: the whole run. */
  taskId?: string;
  mapIndex: number;
  state: string | null;
  /** What a mark does to it; undefined: the act itself. `clear`: it failed because of what is marked, and runs again. */
  becomes?: ActName;
}

/** The task instances that the act would change, exactly those. */
export async function previewAct(act: ActName, target: ActTarget, scope: ActScope): Promise<Touched[]> {
  const path = { dag_id: target.dagId };
  if (target.taskId !== undefined || target.groupId !== undefined) {
    if (act === "clear") return readInstances(await sendClear(target, scope, true));
    const query = {
      run_id: target.runId,
      state: act,
      ...nameWhole(target, scope),
      upstream: scope.upstream ?? false,
      downstream: scope.downstream ?? false,
      past: scope.past ?? false,
      future: scope.future ?? false,
    };
    return readRows(await get("/api/gnomon/v1/dags/{dag_id}/operations/tasks.select_to_mark", { path, query }));
  }
  if (act === "clear" && scope.otherDags) {
    const rows = await get("/api/gnomon/v1/dags/{dag_id}/operations/runs.select_downstream", {
      path,
      query: { run_id: target.runId, only_failed: scope.onlyFailed ?? false },
    });
    return rows.flatMap((row): Touched[] =>
      (row.tasks ?? [undefined]).map((taskId) => ({
        dagId: row.dag_id,
        runId: row.run_id,
        ...(taskId === undefined ? {} : { taskId }),
        mapIndex: -1,
        state: row.state,
      })),
    );
  }
  if (act === "clear" || act === "delete") {
    const query = { run_id: target.runId, only_failed: act === "clear" && (scope.onlyFailed ?? false) };
    return readRows(await get("/api/gnomon/v1/dags/{dag_id}/operations/runs.select", { path, query }));
  }
  return readRows(
    await get("/api/gnomon/v1/dags/{dag_id}/operations/runs.select_to_mark", {
      path,
      query: { run_id: target.runId, state: act },
    }),
  );
}

/** `isNewest`: whether cleared runs take the newest version of their DAG bundle; undefined: their DAGs say so. */
export async function doAct(act: ActName, target: ActTarget, scope: ActScope, isNewest?: boolean): Promise<void> {
  if (target.taskId !== undefined || target.groupId !== undefined)
    return void (await (act === "clear"
      ? sendClear(target, scope, false, isNewest)
      : sendMark(act as Mark, target, scope)));
  const path = { dag_id: target.dagId, dag_run_id: target.runId };
  if (act === "delete") return void (await remove("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", { path }));
  if (act !== "clear")
    return void (await patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", { path, body: { state: act as RunMark } }));
  if (scope.otherDags) {
    const body = {
      run_id: target.runId,
      only_failed: scope.onlyFailed ?? false,
      is_newest_wanted: isNewest,
    };
    return void (await post("/api/gnomon/v1/dags/{dag_id}/operations/runs.clear_downstream", {
      path: { dag_id: target.dagId },
      body,
    }));
  }
  const body = { dry_run: false, only_failed: scope.onlyFailed ?? false, run_on_latest_version: isNewest };
  return void (await post("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/clear", { path, body }));
}

/** The whole group, if the act is about it. */
function chooseGroup(target: ActTarget, scope: ActScope): string | undefined {
  return scope.group || target.taskId === undefined ? target.groupId : undefined;
}

/** The map index of the one instance that the act is about; undefined: all instances of the task. */
function chooseIndex(target: ActTarget, scope: ActScope): number | undefined {
  return scope.allIndexes || target.mapIndex === undefined || target.mapIndex < 0 ? undefined : target.mapIndex;
}

/** The task instances that an act selects: a group, or the names of a task or an instance. */
function nameWhole(target: ActTarget, scope: ActScope): { group: string } | { names: string[] } {
  const group = chooseGroup(target, scope);
  if (group !== undefined) return { group };
  const index = chooseIndex(target, scope);
  return { names: [index === undefined ? (target.taskId ?? "") : `${target.taskId}[${index}]`] };
}

interface Row {
  dag_id: string;
  run_id: string;
  task_id: string;
  map_index: number;
  state: string | null;
  becomes?: string;
}

function readRows(rows: readonly Row[]): Touched[] {
  return rows.map((row) => ({
    dagId: row.dag_id,
    runId: row.run_id,
    taskId: row.task_id,
    mapIndex: row.map_index,
    state: row.state,
    ...readFate(row.becomes),
  }));
}

function readFate(becomes: string | undefined): { becomes?: ActName } {
  return becomes === undefined ? {} : { becomes: becomes === "cleared" ? "clear" : (becomes as ActName) };
}

function readInstances(found: TaskInstances): Touched[] {
  return found.task_instances.map((one) => ({
    dagId: one.dag_id,
    runId: one.dag_run_id,
    taskId: one.task_id,
    mapIndex: one.map_index,
    state: one.state,
  }));
}

function sendClear(target: ActTarget, scope: ActScope, isPreview: boolean, isNewest?: boolean): Promise<TaskInstances> {
  const taskId = target.taskId ?? "";
  const index = chooseIndex(target, scope);
  const tasks =
    chooseGroup(target, scope) !== undefined
      ? (target.groupTasks ?? [])
      : [index === undefined ? taskId : [taskId, index]];
  return post("/api/v2/dags/{dag_id}/clearTaskInstances", {
    path: { dag_id: target.dagId },
    body: {
      dry_run: isPreview,
      dag_run_id: target.runId,
      task_ids: tasks,
      include_upstream: scope.upstream ?? false,
      include_downstream: scope.downstream ?? false,
      include_past: scope.past ?? false,
      include_future: scope.future ?? false,
      only_failed: scope.onlyFailed ?? false,
      reset_dag_runs: true,
      run_on_latest_version: isNewest,
    },
  });
}

function sendMark(act: Mark, target: ActTarget, scope: ActScope): Promise<TaskInstances> {
  const group = chooseGroup(target, scope);
  const index = chooseIndex(target, scope);
  const run = { dag_id: target.dagId, dag_run_id: target.runId };
  const task = { ...run, task_id: target.taskId ?? "" };
  const body = {
    new_state: act,
    include_upstream: scope.upstream ?? false,
    include_downstream: scope.downstream ?? false,
    ...(scope.past ? { include_past: true } : {}),
    ...(scope.future ? { include_future: true } : {}),
  };
  if (group !== undefined)
    return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", {
      path: { ...run, group_id: group },
      body,
    });
  if (index === undefined)
    return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", { path: task, body });
  return patch("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}", {
    path: { ...task, map_index: index },
    body,
  });
}
