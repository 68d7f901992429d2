/** One task of a run: its instance, or the list of those of a mapped task. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { dagQuery, instanceQuery, runQuery } from "../../api/queries";
import { runTasksQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { isMissing, Missing } from "../../components/Missing";
import { ActPanel } from "../../components/ActPanel";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { useZoneOfDag } from "../dag/DagFrame";
import type { TaskListView } from "../run/runSearch";
import { TaskList } from "../run/TaskList";
import { TASK_ACTS, useActTarget } from "./taskActs";
import { InstanceView } from "./InstanceView";
import type { TaskView } from "./taskSearch";

const route = getRouteApi("/dags/$dagId/runs/$runId/tasks/$taskId");

export function TaskPage() {
  const { dagId, runId, taskId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const isAbsent = isKnownMissing(useQueryClient(), dagId, runId);
  const run = useQuery({ ...runQuery(dagId, runId), enabled: isAbsent });
  useZoneOfDag(useQuery({ ...dagQuery(dagId), enabled: !isAbsent }).data?.timezone);
  const at = { dagId, runId, taskId, mapIndex: view.map ?? -1 };
  const { error } = useQuery({ ...instanceQuery(at), enabled: !isAbsent });
  const hasNoInstance = isMissing(error) && view.map === undefined;
  const tasks = useQuery({ ...runTasksQuery(dagId, runId), enabled: hasNoInstance });
  const isMapped =
    tasks.data?.tasks.some((one) => one.task_id === taskId && one.is_mapped && one.counts !== undefined) &&
    tasks.data.instances.some(([task, index]) => index >= 0 && tasks.data?.tasks[task]?.task_id === taskId);
  const set = (search: TaskView) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId/tasks/$taskId",
      params: { dagId, runId, taskId },
      search,
      replace: true,
      resetScroll: false,
    });
  if (isMissing(run.error))
    return (
      <>
        <h1 className="name">{taskId}</h1>
        <Missing error={run.error} />
      </>
    );
  if (isAbsent && run.error === null) return <h1 className="name">{taskId}</h1>;
  if (isMissing(tasks.error))
    return (
      <>
        <h1 className="name">{taskId}</h1>
        <Missing error={tasks.error} />
      </>
    );
  return (
    <>
      <p className="path">
        <Link to="/dags/$dagId" params={{ dagId }} search={{}}>
          {dagId}
        </Link>{" "}
        /{" "}
        <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} search={{}}>
          {runId}
        </Link>
        {view.map !== undefined && (
          <>
            {" "}
            /{" "}
            <Link to="/dags/$dagId/runs/$runId/tasks/$taskId" params={{ dagId, runId, taskId }} search={{}}>
              {taskId}
            </Link>
          </>
        )}
        {" · "}
        <Link to="/tasks" search={{ dag_id: dagId, task: taskId }}>
          {t("This task in all runs")}
        </Link>
      </p>
      <h1 className="name">
        {taskId}
        {view.map === undefined ? "" : ` [${view.map}]`}
      </h1>
      {!hasNoInstance ? (
        <InstanceView at={at} view={view} set={set} />
      ) : (
        <Answer query={tasks} what={t("the tasks")}>
          {(found) =>
            isMapped ? (
              <Instances dagId={dagId} runId={runId} taskId={taskId} view={view} set={set} found={found} />
            ) : (
              <Missing error={error} />
            )
          }
        </Answer>
      )}
    </>
  );
}

interface InstancesProps {
  dagId: string;
  runId: string;
  taskId: string;
  view: TaskView;
  set: (view: TaskView) => void;
  found: Parameters<typeof TaskList>[0]["found"];
}

/** The instances of a mapped task. */
function Instances({ dagId, runId, taskId, view, set, found }: InstancesProps) {
  const target = useActTarget({ dagId, runId, taskId, mapIndex: -1 });
  return (
    <>
      <p>
        {t("This task is mapped: {count} instances.", {
          count: found.instances.filter(([task]) => found.tasks[task]?.task_id === taskId).length,
        })}
      </p>
      <ActPanel
        target={target}
        choices={TASK_ACTS}
        scopes={[
          "upstream",
          "downstream",
          "past",
          "future",
          "onlyFailed",
          ...(target.groupId ? ["group" as const] : []),
        ]}
      />
      <TaskList
        dagId={dagId}
        runId={runId}
        found={found}
        taskId={taskId}
        view={view as TaskListView}
        set={(some) => set(some as TaskView)}
      />
    </>
  );
}
