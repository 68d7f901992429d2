/** The sheet beside the grid: a run, or a task of it, without leaving the grid. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { instanceQuery } from "../../api/queries";
import { runTasksQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { isMissing } from "../../components/Missing";
import { RunLink, RunName, WrappedName } from "../../components/Names";
import { t } from "../../state/language";
import { buttonClass } from "../../ui/Button";
import { ExternalIcon } from "../../ui/icons";
import { Sheet } from "../../ui/Sheet";
import { Skeleton } from "../../ui/Skeleton";
import { readInstances } from "../run/taskRows";
import type { TaskView } from "../task/taskSearch";
import { GridRunPart, InstanceRow } from "./GridRunPart";
import type { SheetView } from "./gridView";
import styles from "./gridSheet.module.css";

// With the log, which is not part of the first load.
const InstanceView = lazy(() => import("../task/InstanceView").then((page) => ({ default: page.InstanceView })));

interface GridSheetProps {
  dagId: string;
  view: SheetView;
  set: (some: SheetView) => void;
  close: () => void;
}

export function GridSheet({ dagId, view, set, close }: GridSheetProps) {
  const { run: runId, instance: taskId, map } = view;
  if (runId === undefined) return null;
  const toPage =
    taskId === undefined ? (
      <Link className={buttonClass("quiet", true)} to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} search={{}}>
        <ExternalIcon size={14} aria-hidden="true" />
        {t("Whole page")}
      </Link>
    ) : (
      <Link
        className={buttonClass("quiet", true)}
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId, runId, taskId }}
        search={toTaskView(view)}
      >
        <ExternalIcon size={14} aria-hidden="true" />
        {t("Whole page")}
      </Link>
    );
  return (
    <Sheet
      open
      close={close}
      title={
        taskId === undefined ? (
          <span title={runId}>
            <RunName runId={runId} />
          </span>
        ) : (
          <WrappedName name={map === undefined ? taskId : `${taskId} [${map}]`} />
        )
      }
      aside={toPage}
    >
      {taskId === undefined ? (
        <GridRunPart
          key={runId}
          dagId={dagId}
          runId={runId}
          openTask={(task, index) => set({ run: runId, instance: task, map: index })}
        />
      ) : (
        <>
          <p className={styles.place}>
            <RunLink dagId={dagId} runId={runId} />
            {map !== undefined && (
              <button type="button" className="plain" onClick={() => set({ ...view, map: undefined })}>
                {t("all instances")}
              </button>
            )}
          </p>
          <TaskPart key={`${runId} ${taskId} ${map ?? ""}`} dagId={dagId} view={view} set={set} />
        </>
      )}
    </Sheet>
  );
}

function toTaskView({ run: _run, instance: _instance, ...rest }: SheetView): TaskView {
  return rest;
}

function TaskPart({ dagId, view, set }: { dagId: string; view: SheetView; set: (some: SheetView) => void }) {
  const { run: runId = "", instance: taskId = "", map } = view;
  const at = { dagId, runId, taskId, mapIndex: map ?? -1 };
  const { error } = useQuery(instanceQuery(at));
  if (isMissing(error) && map === undefined) return <Instances dagId={dagId} view={view} set={set} error={error} />;
  return (
    <Suspense fallback={<Skeleton what={t("the task instance")} />}>
      <InstanceView
        at={at}
        view={toTaskView(view)}
        set={(some: TaskView) => set({ run: runId, instance: taskId, map, ...(some as SheetView) })}
      />
    </Suspense>
  );
}

const SHOWN_MAX = 300;

/** The instances of a mapped task. */
function Instances({
  dagId,
  view,
  set,
  error,
}: {
  dagId: string;
  view: SheetView;
  set: (some: SheetView) => void;
  error: Error;
}) {
  const { run: runId = "", instance: taskId = "" } = view;
  return (
    <Answer query={useQuery(runTasksQuery(dagId, runId))} what={t("the tasks")}>
      {(found) => {
        const instances = readInstances(found).filter((one) => one.task.task_id === taskId && one.mapIndex >= 0);
        if (instances.length === 0) return <p className="soft">{error.message}</p>;
        return (
          <>
            <p className="soft">{t("This task is mapped: {count} instances.", { count: instances.length })}</p>
            <ul className={styles.rows} aria-label={t("Task instances")}>
              {instances.slice(0, SHOWN_MAX).map((one) => (
                <InstanceRow key={one.mapIndex} instance={one} open={() => set({ ...view, map: one.mapIndex })} />
              ))}
            </ul>
            {instances.length > SHOWN_MAX && (
              <p className="soft">
                {t("The first {shown} of {total} are shown.", { shown: SHOWN_MAX, total: instances.length })}
              </p>
            )}
          </>
        );
      }}
    </Answer>
  );
}
