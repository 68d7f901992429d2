/** Where a run, a task or a task instance is, as the paths of the API name it. */

export interface InstancePlace {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex: number;
}

export const placeOfRun = ({ dagId, runId }: Pick<InstancePlace, "dagId" | "runId">) => ({
  dag_id: dagId,
  dag_run_id: runId,
});

export const placeOfTask = (at: Pick<InstancePlace, "dagId" | "runId" | "taskId">) => ({
  ...placeOfRun(at),
  task_id: at.taskId,
});

export const placeOfInstance = (at: InstancePlace) => ({ ...placeOfTask(at), map_index: at.mapIndex });
