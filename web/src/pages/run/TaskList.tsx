/** The task instances of a run, of all tasks or of one: filters, counts, groups and mapped tasks that fold. Only the lines in view are in the document. */

import { useOverscan } from "../../state/printing";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useMemo, useRef } from "react";
import type { RunTasks } from "../../api/runs";
import { useNow, usePresent } from "../../components/Ago";
import { cutText } from "../../components/LongText";
import { StateBadge, stateName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { WhyButton } from "../../components/WhyButton";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { FilterBar } from "./FilterBar";
import type { TaskListView } from "./runSearch";
import {
  buildLines,
  countStates,
  durationOf,
  filterInstances,
  type Instance,
  type Line,
  readInstances,
} from "./taskRows";
import styles from "./task.module.css";
import runStyles from "./run.module.css";

const LINE_PX = 34;
const HEADING_PX = 28;
/** A line has no room for more; the page of the task has all of it. */
const NAME_MAX = 500;

interface TaskListProps {
  dagId: string;
  runId: string;
  found: RunTasks;
  /** Only this task. */
  taskId?: string;
  view: TaskListView;
  set: (some: TaskListView) => void;
}

export function TaskList({ dagId, runId, found, taskId, view, set }: TaskListProps) {
  const all = useMemo(
    () => readInstances(found).filter((one) => taskId === undefined || one.task.task_id === taskId),
    [found, taskId],
  );
  const now = usePresent() / 1000;
  const lately = useNow() / 1000;
  const shown = useMemo(() => filterInstances(all, found.groups, view, lately), [all, found, view, lately]);
  const lines = useMemo(() => {
    if (taskId === undefined) return buildLines(found, shown, new Set(view.toggled));
    return shown.map((instance): Line => ({ kind: "instance", key: String(instance.mapIndex), depth: 0, instance }));
  }, [found, shown, taskId, view.toggled]);
  const toggle = (key: string) => {
    const toggled = new Set(view.toggled);
    if (!toggled.delete(key)) toggled.add(key);
    set({ ...view, toggled: toggled.size ? [...toggled] : undefined });
  };
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: useOverscan(15),
    scrollMargin: HEADING_PX,
  });
  const most = Math.max(1e-3, ...shown.slice(0, 5000).map((one) => durationOf(one, now) ?? 0));
  return (
    <>
      <FilterBar all={all} view={view} set={set} isOneTask={taskId !== undefined} />
      <p role="status" className="soft">
        {shown.length === all.length
          ? tn("{count} task instance", "{count} task instances", all.length)
          : t("{count} of {total} task instances", {
              count: shown.length.toLocaleString("en"),
              total: all.length.toLocaleString("en"),
            })}
        {found.total > found.instances.length &&
          ` ${t("(the run has {total}: the first {count} are listed)", { total: found.total.toLocaleString("en"), count: found.instances.length.toLocaleString("en") })}`}
      </p>
      <div
        data-window=""
        className={styles.list}
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={t("Task instances")}
        style={{ height: `min(70vh, ${Math.max(1, lines.length) * LINE_PX + HEADING_PX + 2}px)` }}
      >
        <Headings />
        <div className={styles.listBody} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const line = lines[item.index];
            return (
              line && (
                <div
                  key={line.key}
                  className={styles.line}
                  style={
                    {
                      transform: `translateY(${item.start - HEADING_PX}px)`,
                      height: LINE_PX,
                      paddingLeft: `${0.5 + line.depth * 1.1}rem`,
                      "--indent": `${line.depth * 1.1}rem`,
                    } as CSSProperties
                  }
                >
                  <LineContent line={line} dagId={dagId} runId={runId} toggle={toggle} now={now} most={most} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

/** What each column shows. Lines are read with their links and states, not as a table: the headings are for the eye. */
function Headings() {
  return (
    <div className={`${styles.headings} soft`} aria-hidden="true">
      <span className={styles.name}>{t("Task")}</span>
      <span className={styles.state}>{t("State")}</span>
      <span className={styles.try}>{t("Try")}</span>
      <span className={styles.start}>{t("Started")}</span>
      <span className={styles.duration}>{t("Duration")}</span>
      <span className={styles.operator}>{t("Operator")}</span>
    </div>
  );
}

interface LineContentProps {
  line: Line;
  dagId: string;
  runId: string;
  toggle: (key: string) => void;
  now: number;
  most: number;
}

function LineContent({ line, dagId, runId, toggle, now, most }: LineContentProps) {
  if (line.kind === "instance")
    return <InstanceLine one={line.instance} dagId={dagId} runId={runId} now={now} most={most} />;
  const name = cutText(line.kind === "group" ? line.name : line.task.name, NAME_MAX);
  return (
    <>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={line.isOpen}
        title={name}
        onClick={() => toggle(line.key)}
      >
        {line.isOpen ? "▾" : "▸"} <span className="name">{name}</span>
      </button>
      {line.kind === "task" && (
        <Link
          className={styles.open}
          to="/dags/$dagId/runs/$runId/tasks/$taskId"
          params={{ dagId, runId, taskId: line.task.task_id }}
          search={{}}
        >
          {t("all instances")}
        </Link>
      )}
      <Counts counts={line.counts} />
    </>
  );
}

function InstanceLine({
  one,
  dagId,
  runId,
  now,
  most,
}: {
  one: Instance;
  dagId: string;
  runId: string;
  now: number;
  most: number;
}) {
  const duration = durationOf(one, now);
  const name = cutText(
    one.mapIndex < 0 ? one.task.name : `${one.task.name} [${one.rendered ?? one.mapIndex}]`,
    NAME_MAX,
  );
  return (
    <>
      <Link
        className={`name ${styles.name}`}
        title={name}
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId, runId, taskId: one.task.task_id }}
        search={{ map: one.mapIndex < 0 ? undefined : one.mapIndex }}
      >
        {name}
      </Link>
      <span className={styles.state}>
        <StateBadge state={one.state} />{" "}
        <WhyButton dagId={dagId} runId={runId} taskId={one.task.task_id} mapIndex={one.mapIndex} state={one.state} />
      </span>
      <span className={`${styles.try} soft`}>
        {one.tryNumber > 1 ? t("try {count}", { count: one.tryNumber }) : ""}
      </span>
      <span className={styles.start}>
        <Time at={one.start === null ? null : new Date(one.start * 1000).toISOString()} />
      </span>
      <span className={styles.duration}>
        {duration === null ? "" : formatDuration(duration)}
        <span className={styles.bar} style={{ width: `${(100 * (duration ?? 0)) / most}%` }} />
      </span>
      <span className={`${styles.operator} soft`}>{one.task.operator}</span>
    </>
  );
}

/** How many are in each state. */
export function Counts({ counts }: { counts: Record<string, number> }) {
  return (
    <span className="counts">
      {Object.entries(counts).map(([state, count]) => (
        <span key={state} className={`${runStyles.stateCount} state-${state}`}>
          {count.toLocaleString("en")} {stateName(state === "none" ? null : state)}
        </span>
      ))}
    </span>
  );
}

export { countStates };
