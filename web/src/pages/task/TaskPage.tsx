/** One task of a run: its instance, or the list of those of a mapped task. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { InstancePlace } from "../../api/places";
import { dagQuery, instanceQuery, runQuery } from "../../api/queries";
import { type RunTasks, runTasksQuery } from "../../api/runs";
import type { TaskInstance } from "../../api/shapes";
import { ActMenu } from "../../components/ActMenu";
import { Answer } from "../../components/Answer";
import { isMissing, Missing } from "../../components/Missing";
import { RunName } from "../../components/Names";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { buttonClass } from "../../ui/Button";
import { Fill, PageHeader } from "../../ui/PageHeader";
import { useZoneOfDag } from "../dag/zoneOfDag";
import type { TaskListView } from "../run/runSearch";
import { TaskList } from "../run/TaskList";
import { InstanceActs } from "./InstanceActs";
import { InstanceBody, PartTabs } from "./InstanceBody";
import { InstanceFacts } from "./InstanceFacts";
import { listScopes, TASK_ACTS, useActTarget } from "./taskActs";
import type { TaskView } from "./taskSearch";
import styles from "./taskPage.module.css";

const route = getRouteApi("/dags/$dagId/runs/$runId/tasks/$taskId");

export function TaskPage() {
  const { dagId, runId, taskId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const isAbsent = isKnownMissing(useQueryClient(), dagId, runId);
  const run = useQuery({ ...runQuery(dagId, runId), enabled: isAbsent });
  useZoneOfDag(useQuery({ ...dagQuery(dagId), enabled: !isAbsent }).data?.timezone);
  const at = { dagId, runId, taskId, mapIndex: view.map ?? -1 };
  const instance = useQuery({ ...instanceQuery(at), enabled: !isAbsent });
  const { error } = instance;
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
  return hasNoInstance ? (
    <>
      <TaskHeader
        at={at}
        facts={
          isMapped && (
            <span>{t("This task is mapped: {count} instances.", { count: countInstances(tasks.data, taskId) })}</span>
          )
        }
        acts={isMapped && <AllActs at={at} />}
      />
      <Answer query={tasks} what={t("the tasks")}>
        {(found) =>
          isMapped ? (
            <Instances dagId={dagId} runId={runId} taskId={taskId} view={view} set={set} found={found} />
          ) : (
            <Missing
              error={error}
              nearest={
                <Link
                  to="/dags/$dagId/runs/$runId"
                  params={{ dagId, runId }}
                  search={{}}
                  className={buttonClass("primary")}
                >
                  {t("The tasks of the run")}
                </Link>
              }
            />
          )
        }
      </Answer>
    </>
  ) : (
    <>
      <TaskHeader
        at={at}
        one={instance.data}
        tabs={<PartTabs view={view} set={set} />}
        acts={instance.data && <InstanceActs at={at} one={instance.data} />}
      />
      <Fill className={styles.page} min={400}>
        <Answer query={instance} what={t("the task instance")}>
          {(one) => <InstanceBody at={at} one={one} view={view} set={set} />}
        </Answer>
      </Fill>
    </>
  );
}

function countInstances(found: RunTasks | undefined, taskId: string): number {
  return found?.instances.filter(([task]) => found.tasks[task]?.task_id === taskId).length ?? 0;
}

interface TaskHeaderProps {
  at: InstancePlace;
  one?: TaskInstance | undefined;
  facts?: ReactNode;
  acts?: ReactNode;
  tabs?: ReactNode;
}

function TaskHeader({ at, one, facts, acts, tabs }: TaskHeaderProps) {
  const { dagId, runId, taskId, mapIndex } = at;
  return (
    <PageHeader
      path={
        <>
          <Link className="name" to="/dags/$dagId" params={{ dagId }} search={{}}>
            {dagId}
          </Link>{" "}
          /{" "}
          <Link
            className="name"
            to="/dags/$dagId/runs/$runId"
            params={{ dagId, runId }}
            search={{ chosen: taskId, map: mapIndex < 0 ? undefined : mapIndex }}
            title={runId}
          >
            <RunName runId={runId} />
          </Link>
          {mapIndex >= 0 && (
            <>
              {" / "}
              <Link
                className="name"
                to="/dags/$dagId/runs/$runId/tasks/$taskId"
                params={{ dagId, runId, taskId }}
                search={{}}
              >
                {taskId}
              </Link>
            </>
          )}
        </>
      }
      title={mapIndex < 0 ? taskId : `${taskId} [${one?.rendered_map_index ?? mapIndex}]`}
      state={one && <StateBadge state={one.state} />}
      facts={one ? <InstanceFacts one={one} /> : facts}
      acts={acts}
      tabs={tabs}
    />
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
  return (
    <Fill className={styles.list}>
      <TaskList
        dagId={dagId}
        runId={runId}
        found={found}
        taskId={taskId}
        view={view as TaskListView}
        set={(some) => set(some as TaskView)}
      />
    </Fill>
  );
}

/** The acts on all instances of a mapped task. */
function AllActs({ at }: { at: InstancePlace }) {
  const target = useActTarget(at);
  return <ActMenu target={target} choices={TASK_ACTS} scopes={listScopes(target)} />;
}
