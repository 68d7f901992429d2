/** When each task instance of a run waited and ran, and which of them determine its end. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { runTimelineQuery, structureQuery } from "../../../api/dagViews";
import type { RunTimeline, Structure } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { SearchField } from "../../../components/SearchField";
import { t, tn } from "../../../state/language";
import { formatDuration } from "../../../state/times";
import styles from "./gantt.module.css";
import { GanttChart } from "./GanttChart";
import { buildLines, findCriticalPath, type GanttLine } from "./ganttLines";
import { type GanttView, ZOOMS } from "./ganttView";

const route = getRouteApi("/dags/$dagId/runs/$runId/gantt");
/** While the run goes on, its bars grow in such steps. */
const GROW_MS = 1_000;
const FAILED = new Set<string | null>(["failed", "upstream_failed"]);

export function GanttPage() {
  const { dagId, runId } = route.useParams();
  const structure = useQuery(structureQuery(dagId, runId));
  const timeline = useQuery(runTimelineQuery(dagId, runId));
  return (
    <section>
      <Answer query={timeline} what={t("the times of the run")}>
        {(times) => (
          <Answer query={structure} what={t("the graph")}>
            {(found) => <Shown timeline={times} structure={found} />}
          </Answer>
        )}
      </Answer>
    </section>
  );
}

function Shown({ timeline, structure }: { timeline: RunTimeline; structure: Structure }) {
  const { dagId, runId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GanttView) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId/gantt",
      params: { dagId, runId },
      search: { ...view, ...some },
      replace: true,
    });
  const now = useServerNow(timeline);
  const lines = useMemo(() => buildLines(timeline, structure, now), [timeline, structure, now]);
  const path = useMemo(() => findCriticalPath(lines, timeline, structure, now), [lines, timeline, structure, now]);
  const critical = useMemo(() => new Set(path.map((line) => line.key)), [path]);
  const shown = useMemo(() => selectLines(lines, view, critical), [lines, view, critical]);
  const began = timeline.start_date
    ? Date.parse(timeline.start_date)
    : Math.min(...lines.map((line) => line.start ?? Infinity));
  const ended = timeline.end_date ? Date.parse(timeline.end_date) : now;
  if (lines.every((line) => line.parts.length === 0)) return <p>{t("No task of this run has started.")}</p>;
  return (
    <>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <SearchField label={t("Task")} value={view.task} onChange={(task) => set({ task })} />
        <label>
          {t("Show")}{" "}
          <select
            value={view.only ?? ""}
            onChange={(event) => set({ only: (event.target.value || undefined) as GanttView["only"] })}
          >
            <option value="">{t("all")}</option>
            <option value="failed">{t("only failed")}</option>
            <option value="unfinished">{t("only unfinished")}</option>
            <option value="critical">{t("only the critical path")}</option>
          </select>
        </label>
        <label>
          {t("Order")}{" "}
          <select
            value={view.sort ?? ""}
            onChange={(event) => set({ sort: (event.target.value || undefined) as GanttView["sort"] })}
          >
            <option value="">{t("as in the DAG")}</option>
            <option value="start">{t("by start")}</option>
            <option value="duration">{t("by duration")}</option>
          </select>
        </label>
        <label>
          {t("Width")}{" "}
          <select
            value={view.zoom ?? 1}
            onChange={(event) =>
              set({ zoom: Number(event.target.value) === 1 ? undefined : Number(event.target.value) })
            }
          >
            {ZOOMS.map((one) => (
              <option key={one} value={one}>
                {one} ×
              </option>
            ))}
          </select>
        </label>
      </form>
      <p className="soft">
        {tn("{count} task instance", "{count} task instances", shown.length)}
        {shown.length < lines.length && ` ${t("of {count}", { count: lines.length })}`},{" "}
        {formatDuration((ended - began) / 1000)}
        {!timeline.is_complete && ` ${t("The run has more: the first 10,000 are shown.")}`}
      </p>
      <GanttChart
        lines={shown}
        critical={critical}
        from={Math.min(began, ...shown.map((line) => line.parts[0]?.from ?? began))}
        to={Math.max(ended, began + 1)}
        now={timeline.end_date ? undefined : now}
        zoom={view.zoom ?? 1}
        dagId={dagId}
        runId={runId}
      />
      <Legend />
      <CriticalPath path={path} began={began} ended={ended} dagId={dagId} runId={runId} />
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

function selectLines(lines: GanttLine[], view: GanttView, critical: ReadonlySet<string>): GanttLine[] {
  const text = view.task?.toLowerCase() ?? "";
  const fits = (line: GanttLine) =>
    (text === "" || line.name.toLowerCase().includes(text)) &&
    (view.only !== "failed" || FAILED.has(line.state)) &&
    (view.only !== "unfinished" || line.end === undefined) &&
    (view.only !== "critical" || critical.has(line.key));
  const shown = lines.filter(fits);
  if (view.sort === "start") return shown.toSorted((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity));
  if (view.sort === "duration") return shown.toSorted((a, b) => duration(b) - duration(a));
  return shown;
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
    <ul className="legend" aria-label={t("Parts of a bar")}>
      {kinds.map(([kind, words]) => (
        <li key={kind}>
          <span
            className={`${styles.part} ${styles[kind]} ${kind === "run" ? "state-success" : ""} ${styles.swatch}`}
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
    <details>
      <summary>{tn("Critical path: {count} step", "Critical path: {count} steps", path.length)}</summary>
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
    </details>
  );
}
