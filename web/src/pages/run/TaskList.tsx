/** The task instances of a run, of all tasks or of one: filters, counts, groups and mapped tasks that fold. Only the lines in view are in the document. */

import { useOverscan } from "../../state/printing";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useEffectEvent, useMemo, useRef } from "react";
import type { RunTasks } from "../../api/runs";
import { useNow, usePresent } from "../../components/Ago";
import { cutText } from "../../components/LongText";
import { isPlainClick } from "../../components/plainClick";
import { StateBadge, stateName, stateShape } from "../../components/StateBadge";
import { StateDot } from "../../components/StateDot";
import { Time } from "../../components/Time";
import { useKeys } from "../../components/useKeys";
import { WhyButton } from "../../components/WhyButton";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { formatDuration } from "../../state/times";
import { ExpandIcon, FoldedIcon } from "../../ui/icons";
import { FilterBar } from "./FilterBar";
import type { TaskListView } from "./runSearch";
import { buildLines, durationOf, filterInstances, type Instance, type Line, readInstances } from "./taskRows";
import styles from "./task.module.css";

const LINE_PX = 30;
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
  /** The key of the chosen instance. With `choose` the list is a pane: a click chooses, and a line has the state, the name and the duration alone. */
  chosen?: string;
  choose?: (one: Instance) => void;
}

/** The instances that fit the filters. */
export function useShownInstances(found: RunTasks, taskId: string | undefined, view: TaskListView) {
  const all = useMemo(
    () => readInstances(found).filter((one) => taskId === undefined || one.task.task_id === taskId),
    [found, taskId],
  );
  const { only, state, task, operator, pool, queue, index, longer } = view;
  const now = useNow() / 1000;
  // Without a filter on the duration nothing depends on the present: all rows stay as they are.
  const lately = longer === undefined ? 0 : now;
  const shown = useMemo(
    () => filterInstances(all, found.groups, { only, state, task, operator, pool, queue, index, longer }, lately),
    [all, found, only, state, task, operator, pool, queue, index, longer, lately],
  );
  return { all, shown };
}

/** Of so many states of a group or a mapped task the names are written out. */
const SPELLED_MAX = 2;
export function TaskList({ dagId, runId, found, taskId, view, set, chosen, choose }: TaskListProps) {
  const { all, shown } = useShownInstances(found, taskId, view);
  const now = usePresent() / 1000;
  const lines = useMemo(() => {
    if (taskId === undefined) return buildLines(found, shown, new Set(view.toggled));
    return shown.map((instance): Line => ({ kind: "instance", key: keyOf(instance), depth: 0, instance }));
  }, [found, shown, taskId, view.toggled]);
  const toggle = (key: string) => {
    const toggled = new Set(view.toggled);
    if (!toggled.delete(key)) toggled.add(key);
    set({ ...view, toggled: toggled.size ? [...toggled] : undefined });
  };
  const frame = useRef<HTMLDivElement>(null);
  const headingPx = choose ? 0 : HEADING_PX;
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: useOverscan(15),
    scrollMargin: headingPx,
  });
  const chosenAt = useMemo(
    () => (chosen === undefined ? -1 : lines.findIndex((line) => isLineOf(line, chosen))),
    [lines, chosen],
  );
  const show = useEffectEvent(() => {
    if (chosenAt >= 0) rows.scrollToIndex(chosenAt, { align: "auto" });
  });
  useEffect(() => show(), [chosen]);
  const lately = useNow() / 1000;
  const most = useMemo(
    () => shown.slice(0, 5000).reduce((longest, one) => Math.max(longest, durationOf(one, lately) ?? 0), 1e-3),
    [shown, lately],
  );
  const step = (by: 1 | -1) => {
    for (let at = chosenAt + by; at >= 0 && at < lines.length; at += by) {
      const line = lines[at] as Line;
      if (line.kind === "instance") return choose?.(line.instance);
    }
  };
  const next = (isWanted: (one: Instance) => boolean) => {
    const after = [...lines.slice(chosenAt + 1), ...lines.slice(0, chosenAt + 1)];
    const line = after.find((one) => one.kind === "instance" && isWanted(one.instance));
    if (line?.kind === "instance") choose?.(line.instance);
  };
  useKeys(
    choose
      ? {
          ArrowDown: () => step(1),
          ArrowUp: () => step(-1),
          j: () => step(1),
          k: () => step(-1),
          n: () => next((one) => one.state === "failed"),
          f: () => set({ ...view, only: view.only === "failed" ? undefined : "failed" }),
        }
      : {},
  );
  return (
    <div className={choose ? `${styles.frame} ${styles.pane}` : styles.frame}>
      <FilterBar all={all} view={view} set={set} isOneTask={taskId !== undefined} />
      <p role="status" className={`soft ${styles.count}`}>
        {shown.length === all.length
          ? tn("{count} task instance", "{count} task instances", all.length)
          : t("{count} of {total} task instances", {
              count: shown.length,
              total: all.length,
            })}
        {found.total > found.instances.length &&
          ` ${t("(the run has {total}: the first {count} are listed)", { total: found.total, count: found.instances.length })}`}
      </p>
      <div
        data-window=""
        className={styles.list}
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={t("Task instances")}
      >
        {!choose && <Headings />}
        <div className={styles.listBody} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const line = lines[item.index];
            return (
              line && (
                <div
                  key={line.key}
                  className={item.index === chosenAt ? `${styles.line} ${styles.chosen}` : styles.line}
                  style={
                    {
                      transform: `translateY(${item.start - headingPx}px)`,
                      height: LINE_PX,
                      "--indent": `${line.depth * 0.875}rem`,
                    } as CSSProperties
                  }
                >
                  <LineContent
                    line={line}
                    dagId={dagId}
                    runId={runId}
                    toggle={toggle}
                    now={now}
                    most={most}
                    isChosen={item.index === chosenAt}
                    choose={choose}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

export function keyOf(one: Instance): string {
  return `${one.task.task_id} ${one.mapIndex}`;
}

function isLineOf(line: Line, key: string): boolean {
  return line.kind === "instance" && keyOf(line.instance) === key;
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
  isChosen: boolean;
  choose: TaskListProps["choose"];
}

function LineContent({ line, dagId, runId, toggle, now, most, isChosen, choose }: LineContentProps) {
  if (line.kind === "instance") {
    const place = { one: line.instance, dagId, runId, now, most };
    return choose ? <ChoiceLine {...place} isChosen={isChosen} choose={choose} /> : <InstanceLine {...place} />;
  }
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
        {line.isOpen ? <ExpandIcon size={14} aria-hidden="true" /> : <FoldedIcon size={14} aria-hidden="true" />}
        <span className={`name ${styles.foldName}`}>{name}</span>
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
      <Counts counts={line.counts} isShort={Object.keys(line.counts).length > SPELLED_MAX} />
    </>
  );
}

interface InstanceLineProps {
  one: Instance;
  dagId: string;
  runId: string;
  now: number;
  most: number;
}

function nameOf(one: Instance): string {
  return cutText(one.mapIndex < 0 ? one.task.name : `${one.task.name} [${one.rendered ?? one.mapIndex}]`, NAME_MAX);
}

/** A line of a pane. The link is that to the page of the instance, for a new tab; a click chooses the instance beside. */
function ChoiceLine({
  one,
  dagId,
  runId,
  now,
  most,
  isChosen,
  choose,
}: InstanceLineProps & { isChosen: boolean; choose: (one: Instance) => void }) {
  const duration = durationOf(one, now);
  const name = nameOf(one);
  return (
    <>
      <StateDot state={one.state} hasSign />
      <Link
        className={`name ${styles.choice}`}
        title={`${name}, ${stateName(one.state)}`}
        aria-current={isChosen || undefined}
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId, runId, taskId: one.task.task_id }}
        search={{ map: one.mapIndex < 0 ? undefined : one.mapIndex }}
        preload={false}
        onClick={(event) => isPlainClick(event) && choose(one)}
      >
        {name}
        <span className="unseen">, {stateName(one.state)}</span>
      </Link>
      <WhyButton dagId={dagId} runId={runId} taskId={one.task.task_id} mapIndex={one.mapIndex} state={one.state} />
      {one.tryNumber > 1 && <span className="soft small">{t("try {count}", { count: one.tryNumber })}</span>}
      <span className={`${styles.duration} soft`}>
        {duration === null ? "" : formatDuration(duration)}
        <span className={styles.bar} style={{ width: `${(100 * (duration ?? 0)) / most}%` }} />
      </span>
    </>
  );
}

function InstanceLine({ one, dagId, runId, now, most }: InstanceLineProps) {
  const duration = durationOf(one, now);
  const name = nameOf(one);
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
/** `isShort`: with the signs of the states in place of their names. */
export function Counts({ counts, isShort = false }: { counts: Record<string, number>; isShort?: boolean }) {
  return (
    <span className="counts">
      {Object.entries(counts).map(([name, count]) => {
        const state = name === "none" ? null : name;
        return (
          <span key={name} className={`badge state-${name}`} title={isShort ? stateName(state) : undefined}>
            {isShort && <span aria-hidden="true">{stateShape(state)} </span>}
            {formatCount(count)}
            <span className={isShort ? "unseen" : undefined}> {stateName(state)}</span>
          </span>
        );
      })}
    </span>
  );
}
