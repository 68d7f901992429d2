/** A run in three panes that fill the window: its tasks, the Gantt chart, and the chosen task with its log. A narrow window shows one at a time. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { type RunTasks, runTasksQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { useKeys } from "../../components/useKeys";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { buttonClass, Segments } from "../../ui/Button";
import { FillIcon } from "../../ui/icons";
import { Fill } from "../../ui/PageHeader";
import { TabButtons } from "../../ui/Tabs";
import { InstancePane } from "../task/InstancePane";
import type { TaskPart } from "../task/taskParts";
import type { GanttLine } from "./gantt/ganttLines";
import { GanttPane } from "./gantt/GanttPane";
import styles from "./panes.module.css";
import { type Pane, PANES, type RunView } from "./runSearch";
import { keyOf, TaskList, useShownInstances } from "./TaskList";
import { chooseInstance, type Instance } from "./taskRows";

const GraphPane = lazy(() => import("./GraphPane"));
const route = getRouteApi("/dags/$dagId/runs/$runId/");
const PANE_NAMES: Record<Pane, string> = {
  tasks: /* text */ "Tasks",
  gantt: /* text */ "Gantt",
  log: /* text */ "Log",
};

export function RunPanes() {
  const { dagId, runId } = route.useParams();
  return (
    <Answer query={useQuery(runTasksQuery(dagId, runId))} what={t("the tasks")}>
      {(found) => <Panes key={runId} dagId={dagId} runId={runId} found={found} />}
    </Answer>
  );
}

function Panes({ dagId, runId, found }: { dagId: string; runId: string; found: RunTasks }) {
  const view = route.useSearch();
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const set = (some: RunView) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId",
      params: { dagId, runId },
      search: { ...view, ...some },
      replace: true,
      resetScroll: false,
    });
  const { all, shown } = useShownInstances(found, undefined, view);
  const first = useMemo(() => chooseInstance(all), [all]);
  const chosen =
    view.chosen === undefined
      ? first
      : (all.find((one) => one.task.task_id === view.chosen && one.mapIndex === (view.map ?? -1)) ?? first);
  const at = chosen && { dagId, runId, taskId: chosen.task.task_id, mapIndex: chosen.mapIndex };
  /** Another task has another log: what was searched for stays, the line and the tries do not. */
  const choose = (one: { taskId: string; mapIndex: number }) =>
    set({
      chosen: one.taskId,
      map: one.mapIndex < 0 ? undefined : one.mapIndex,
      line: undefined,
      try: undefined,
      beside: undefined,
      source: undefined,
      pane: isNarrow ? "log" : undefined,
    });
  const kept = useMemo(
    () => (shown.length === all.length ? undefined : new Set(shown.map(keyOf))),
    [shown, all.length],
  );
  const isShown = useCallback(
    (line: GanttLine) => kept === undefined || kept.has(`${line.taskId} ${line.mapIndex}`),
    [kept],
  );
  const openPart = (part: TaskPart) => () => {
    set({ part: part === "log" ? undefined : part, pane: isNarrow ? "log" : undefined });
    if (part === "log") requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=log]")?.focus());
  };
  useKeys({
    l: openPart("log"),
    y: openPart("tries"),
    x: openPart("xcoms"),
    d: openPart("details"),
    v: () => void navigate({ to: "/dags/$dagId/runs/$runId/gantt", params: { dagId, runId }, search: {} }),
    Enter: () =>
      at &&
      void navigate({
        to: "/dags/$dagId/runs/$runId/tasks/$taskId",
        params: at,
        search: at.mapIndex < 0 ? {} : { map: at.mapIndex },
      }),
  });
  const pane = isNarrow ? (view.pane ?? "tasks") : undefined;
  const list = (
    <section className={styles.pane} aria-label={t("Tasks")}>
      <TaskList
        dagId={dagId}
        runId={runId}
        found={found}
        view={view}
        set={set}
        chosen={chosen && keyOf(chosen)}
        choose={(one: Instance) => choose({ taskId: one.task.task_id, mapIndex: one.mapIndex })}
      />
    </section>
  );
  const isGraph = view.picture === "graph";
  const picker = (
    <Segments
      label={t("Picture of the run")}
      value={view.picture ?? "gantt"}
      options={[
        { value: "gantt", label: t("Gantt") },
        { value: "graph", label: t("Graph") },
      ]}
      choose={(picture) => set({ picture: picture === "graph" ? picture : undefined })}
    />
  );
  const tail = <PictureLinks dagId={dagId} runId={runId} isGraph={isGraph} />;
  const chooseTask = (taskId: string) => {
    const most = chooseInstance(all.filter((one) => one.task.task_id === taskId));
    if (most) choose({ taskId, mapIndex: most.mapIndex });
  };
  const graph = (
    <section className={styles.pane} aria-label={t("Graph")}>
      <Suspense>
        <GraphPane
          dagId={dagId}
          runId={runId}
          view={view}
          set={set}
          chosen={chosen?.task.task_id}
          choose={chooseTask}
          lead={picker}
          tail={tail}
        />
      </Suspense>
    </section>
  );
  const gantt = isGraph ? (
    graph
  ) : (
    <section className={styles.pane} aria-label={t("Gantt")}>
      <GanttPane
        lead={picker}
        dagId={dagId}
        runId={runId}
        view={view}
        set={set}
        isShown={isShown}
        chosen={at}
        choose={(taskId, mapIndex) => choose({ taskId, mapIndex })}
        tail={tail}
      />
    </section>
  );
  const log = (
    <section className={styles.pane} aria-label={t("The chosen task")}>
      {at && <InstancePane key={`${at.taskId} ${at.mapIndex}`} at={at} view={view} set={set} />}
    </section>
  );
  if (pane !== undefined)
    return (
      <>
        <TabButtons
          label={t("Views of the run")}
          value={pane}
          options={PANES.map((value) => ({ value, label: t(PANE_NAMES[value]) }))}
          choose={(value) => set({ pane: value === "tasks" ? undefined : value })}
        />
        <Fill className={styles.single}>{pane === "tasks" ? list : pane === "gantt" ? gantt : log}</Fill>
      </>
    );
  return (
    <Fill className={styles.panes} min={420}>
      {list}
      <div className={styles.right} data-picture={view.picture}>
        {gantt}
        {log}
      </div>
    </Fill>
  );
}

/** The picture in the whole window. */
function PictureLinks({ dagId, runId, isGraph }: { dagId: string; runId: string; isGraph: boolean }) {
  const name = isGraph ? t("Graph in the whole window") : t("Gantt in the whole window");
  const look = { className: buttonClass("quiet", true), "aria-label": name, title: name };
  return isGraph ? (
    <Link to="/dags/$dagId/graph" params={{ dagId }} search={{ run: runId }} {...look}>
      <FillIcon size={16} aria-hidden="true" />
    </Link>
  ) : (
    <Link to="/dags/$dagId/runs/$runId/gantt" params={{ dagId, runId }} search={{}} {...look}>
      <FillIcon size={16} aria-hidden="true" />
    </Link>
  );
}
