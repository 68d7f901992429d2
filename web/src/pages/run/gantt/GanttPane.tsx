/** The Gantt chart of a run with its controls in one line. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { runTimelineQuery, structureQuery } from "../../../api/dagViews";
import type { RunTimeline, Structure } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { InfoTip } from "../../../components/InfoTip";
import { t, tn } from "../../../state/language";
import { formatDuration } from "../../../state/times";
import { EmptyState } from "../../../ui/EmptyState";
import { Popover } from "../../../ui/Popover";
import styles from "./gantt.module.css";
import { GanttChart } from "./GanttChart";
import { buildLines, findCriticalPath, type GanttLine } from "./ganttLines";
import { type GanttOptions, ZOOMS } from "./ganttView";

/** While the run goes on, its bars grow in such steps. */
const GROW_MS = 1_000;

export interface GanttPaneProps {
  dagId: string;
  runId: string;
  view: GanttOptions;
  set: (some: GanttOptions) => void;
  /** Which lines are shown; `isCritical`: whether the end of the run depends on it. */
  isShown: (line: GanttLine, isCritical: boolean) => boolean;
  /** The chosen task instance; with `choose` a click chooses another one, without it a click opens its page. */
  chosen?: { taskId: string; mapIndex: number };
  choose?: (taskId: string, mapIndex: number) => void;
  /** Before and behind the controls. */
  lead?: ReactNode;
  tail?: ReactNode;
}

export function GanttPane(props: GanttPaneProps) {
  const structure = useQuery(structureQuery(props.dagId, props.runId));
  const timeline = useQuery(runTimelineQuery(props.dagId, props.runId));
  return (
    <div className={styles.pane}>
      <Answer query={timeline} what={t("the times of the run")}>
        {(times) => (
          <Answer query={structure} what={t("the graph")}>
            {(found) => <Shown {...props} timeline={times} structure={found} />}
          </Answer>
        )}
      </Answer>
    </div>
  );
}

function Shown(props: GanttPaneProps & { timeline: RunTimeline; structure: Structure }) {
  const { timeline, structure, dagId, runId, view, set, isShown, chosen, choose, lead, tail } = props;
  const now = useServerNow(timeline);
  const lines = useMemo(() => buildLines(timeline, structure, now), [timeline, structure, now]);
  const path = useMemo(() => findCriticalPath(lines, timeline, structure, now), [lines, timeline, structure, now]);
  const critical = useMemo(() => new Set(path.map((line) => line.key)), [path]);
  const shown = useMemo(
    () =>
      sortLines(
        lines.filter((line) => isShown(line, critical.has(line.key))),
        view.sort,
      ),
    [lines, isShown, view.sort, critical],
  );
  const began = timeline.start_date
    ? Date.parse(timeline.start_date)
    : Math.min(...lines.map((line) => line.start ?? Infinity));
  const ended = timeline.end_date ? Date.parse(timeline.end_date) : now;
  const hasStarted = lines.some((line) => line.parts.length > 0);
  return (
    <>
      <div className={styles.tools} role="group" aria-label={t("Controls of the Gantt chart")}>
        {lead}
        <span className={`soft ${styles.count}`}>
          {tn("{count} task instance", "{count} task instances", shown.length)}
          {shown.length < lines.length && ` ${t("of {count}", { count: lines.length })}`}
          {hasStarted && ` · ${formatDuration((ended - began) / 1000)}`}
          {!timeline.is_complete && ` ${t("The run has more: the first 10,000 are shown.")}`}
        </span>
        <select
          aria-label={t("Order")}
          value={view.sort ?? ""}
          onChange={(event) => set({ sort: (event.target.value || undefined) as GanttOptions["sort"] })}
        >
          <option value="">{t("as in the DAG")}</option>
          <option value="start">{t("by start")}</option>
          <option value="duration">{t("by duration")}</option>
        </select>
        <select
          aria-label={t("Width")}
          value={view.zoom ?? 1}
          onChange={(event) => set({ zoom: Number(event.target.value) === 1 ? undefined : Number(event.target.value) })}
        >
          {ZOOMS.map((one) => (
            <option key={one} value={one}>
              {one} ×
            </option>
          ))}
        </select>
        {path.length > 0 && hasStarted && (
          <Popover
            isSmall
            look="quiet"
            placement="bottom-end"
            label={
              <>
                <span className={styles.critical} aria-hidden="true">
                  ◆
                </span>
                {tn("Critical path: {count} step", "Critical path: {count} steps", path.length)}
              </>
            }
          >
            <CriticalPath path={path} began={began} ended={ended} dagId={dagId} runId={runId} />
          </Popover>
        )}
        <InfoTip label={t("Parts of a bar")}>
          <Legend />
        </InfoTip>
        {tail}
      </div>
      {hasStarted ? (
        <GanttChart
          lines={shown}
          critical={critical}
          from={Math.min(began, ...shown.map((line) => line.parts[0]?.from ?? began))}
          to={Math.max(ended, began + 1)}
          now={timeline.end_date ? undefined : now}
          zoom={view.zoom ?? 1}
          dagId={dagId}
          runId={runId}
          chosen={chosen}
          choose={choose}
        />
      ) : (
        <div className={styles.empty}>
          <EmptyState isSmall title={t("No task of this run has started.")} />
        </div>
      )}
    </>
  );
}

/** The time of the server, which goes on while the run does. */
function useServerNow(timeline: RunTimeline): number {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    setPassed(0);
    if (timeline.end_date) return undefined;
    const began = performance.now();
    const timer = window.setInterval(() => setPassed(performance.now() - began), GROW_MS);
    return () => window.clearInterval(timer);
  }, [timeline]);
  return timeline.now + passed;
}

/** How long each step took, and how much of it passed before its start: from the end of the step before it to its own end. */
function measureSteps(path: readonly GanttLine[], began: number, ended: number) {
  let before = began;
  return path.map((line) => {
    const end = line.end ?? line.parts.at(-1)?.to ?? ended;
    const step = { line, took: Math.max(0, end - before), waited: Math.max(0, (line.start ?? end) - before) };
    before = Math.max(before, end);
    return step;
  });
}

function sortLines(lines: GanttLine[], sort: GanttOptions["sort"]): GanttLine[] {
  if (sort === "start") return lines.toSorted((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity));
  if (sort === "duration") return lines.toSorted((a, b) => duration(b) - duration(a));
  return lines;
}

function duration(line: GanttLine): number {
  return line.parts.reduce((sum, part) => sum + (part.kind === "run" ? part.to - part.from : 0), 0);
}

function Legend() {
  const kinds: [string, string][] = [
    ["ready", t("ready, waits for a worker, a slot or a limit")],
    ["run", t("runs or ran")],
    ["deferred", t("deferred or rescheduled")],
    ["retry", t("waits for the next try")],
  ];
  return (
    <ul className={styles.legend}>
      {kinds.map(([kind, words]) => (
        <li key={kind}>
          <span
            className={`${styles.part} ${kind === "run" ? "solid state-success" : styles[kind]} ${styles.swatch}`}
            aria-hidden="true"
          />{" "}
          {words}
        </li>
      ))}
      <li>
        <span className={styles.critical} aria-hidden="true">
          ◆
        </span>{" "}
        {t("on the critical path")}
      </li>
    </ul>
  );
}

/** The steps, each with its share of the run. */
function CriticalPath({
  path,
  began,
  ended,
  dagId,
  runId,
}: {
  path: GanttLine[];
  began: number;
  ended: number;
  dagId: string;
  runId: string;
}) {
  const steps = measureSteps(path, began, ended);
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{t("Task")}</th>
            <th>{t("Duration")}</th>
            <th>{t("of it before its start")}</th>
            <th>{t("Share of the run")}</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ line, took, waited }) => (
            <tr key={line.key}>
              <td>
                <Link
                  className="name"
                  to="/dags/$dagId/runs/$runId/tasks/$taskId"
                  params={{ dagId, runId, taskId: line.taskId }}
                  search={line.mapIndex < 0 ? {} : { map: line.mapIndex }}
                >
                  {line.name}
                </Link>
              </td>
              <td>{formatDuration(took / 1000)}</td>
              <td>{formatDuration(waited / 1000)}</td>
              <td>{Math.round((100 * took) / Math.max(1, ended - began))} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
