/** The chart: a line for each task instance below an axis of time. Only the lines in view are in the document. */

import { useOverscan } from "../../../state/printing";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useRef } from "react";
import { isPlainClick } from "../../../components/plainClick";
import { stateClass, stateName, stateShape } from "../../../components/StateBadge";
import { useSize } from "../../../components/useSize";
import { WhyButton } from "../../../components/WhyButton";
import { t } from "../../../state/language";
import { formatDuration, formatTime, useZone } from "../../../state/times";
import { chooseTicks } from "../../../state/timeTicks";
import { findAhead } from "../../../state/zonedTimes";
import type { GanttLine, Part } from "./ganttLines";
import styles from "./gantt.module.css";

const LINE_PX = 26;
const TICKS = 6;
/** Of labels with a day, or with parts of a second. */
const LONG_TICKS = 4;
/** Behind this part of the axis a label stands before its tick: there is no room behind it. */
const TURNED_PERCENT = 80;
/** The width of most labels. */
const LABEL_PX = 64;
const DAY_MS = 86_400_000;

export interface GanttChartProps {
  lines: GanttLine[];
  critical: ReadonlySet<string>;
  from: number;
  to: number;
  /** Of a run that goes on. */
  now: number | undefined;
  zoom: number;
  dagId: string;
  runId: string;
  chosen: { taskId: string; mapIndex: number } | undefined;
  /** Undefined: a click opens the page of the task. */
  choose: ((taskId: string, mapIndex: number) => void) | undefined;
}

export function GanttChart(props: GanttChartProps) {
  const { lines, critical, from, to, now, zoom, dagId, runId, chosen, choose } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [track, trackPx] = useSize<HTMLDivElement>();
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: useOverscan(10),
  });
  const zone = useZone();
  const percent = (at: number) => (100 * (at - from)) / Math.max(1, to - from);
  const hasLongLabels = to - from > 2 * DAY_MS || to - from < TICKS * 1_000;
  const most = (hasLongLabels ? LONG_TICKS : TICKS) * zoom;
  const room = Math.floor(trackPx / (hasLongLabels ? 1.5 * LABEL_PX : LABEL_PX));
  const ticks = chooseTicks(from, to, trackPx > 0 ? Math.max(1, Math.min(most, room)) : most, findAhead(from, zone));
  const step = (ticks[1] ?? to) - (ticks[0] ?? from);
  const isTurned = (at: number) => percent(at) > 100 - (100 - TURNED_PERCENT) / zoom;
  const labelPercent = trackPx > 0 ? (100 * LABEL_PX) / trackPx : 0;
  /** A label before its tick needs the room of two beside one that stands behind the tick before. */
  const labelled = ticks.filter(
    (at, index) =>
      !isTurned(at) ||
      index === 0 ||
      isTurned(ticks[index - 1] ?? at) ||
      percent(at) - percent(ticks[index - 1] ?? at) >= 2 * labelPercent,
  );
  const format = (at: number) => {
    const words = formatTime(new Date(at).toISOString(), zone);
    if (to - from > 2 * DAY_MS) return words.slice(5, 16);
    /** Below a second the seconds and their parts: the minute is that of the run, which stands above. */
    return step < 1_000 ? `${words.slice(17)}.${String(Math.floor(at) % 1_000).padStart(3, "0")}` : words.slice(11);
  };
  return (
    <div data-window="" className={styles.chart} ref={frame} tabIndex={0} role="region" aria-label={t("Gantt chart")}>
      <div className={styles.width} style={{ width: `${100 * zoom}%` }}>
        <div className={styles.axis}>
          <span className={styles.name}>{t("Task")}</span>
          <div className={styles.track} aria-hidden="true" ref={track}>
            {labelled.map((at) => (
              <span
                key={at}
                className={isTurned(at) ? `${styles.tick} ${styles.turned}` : styles.tick}
                style={{ left: `${percent(at)}%` }}
              >
                {format(at)}
              </span>
            ))}
          </div>
        </div>
        <ol className={styles.body} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index] as GanttLine;
            return (
              <li key={line.key} className={styles.line} style={{ transform: `translateY(${row.start}px)` }}>
                <Line
                  line={line}
                  isCritical={critical.has(line.key)}
                  from={from}
                  to={to}
                  zone={zone}
                  dagId={dagId}
                  runId={runId}
                  isChosen={line.taskId === chosen?.taskId && line.mapIndex === chosen.mapIndex}
                  choose={choose}
                />
                <WhyButton
                  dagId={dagId}
                  runId={runId}
                  taskId={line.taskId}
                  mapIndex={line.mapIndex}
                  state={line.state}
                />
              </li>
            );
          })}
          {now !== undefined && (
            <li className={styles.now} aria-hidden="true">
              <span style={{ left: `${Math.min(100, percent(now))}%` }} />
            </li>
          )}
        </ol>
      </div>
    </div>
  );
}

interface LineProps {
  line: GanttLine;
  isCritical: boolean;
  from: number;
  to: number;
  zone: string;
  dagId: string;
  runId: string;
  isChosen: boolean;
  choose: GanttChartProps["choose"];
}

const Line = memo(function Line({ line, isCritical, from, to, zone, dagId, runId, isChosen, choose }: LineProps) {
  const span = Math.max(1, to - from);
  const words = `${line.name}, ${stateName(line.state)}${line.tryNumber > 1 ? `, ${t("try {number}", { number: line.tryNumber })}` : ""}${line.parts.map((part) => `\n${describePart(part, zone)}`).join("")}`;
  return (
    <Link
      className={isChosen ? `${styles.link} ${styles.chosen}` : styles.link}
      aria-current={isChosen || undefined}
      onClick={choose && ((event) => isPlainClick(event) && choose(line.taskId, line.mapIndex))}
      to="/dags/$dagId/runs/$runId/tasks/$taskId"
      params={{ dagId, runId, taskId: line.taskId }}
      search={line.mapIndex < 0 ? {} : { map: line.mapIndex }}
      preload={false}
      title={words}
      aria-label={words}
    >
      <span className={styles.name}>
        <span className={styles.critical} aria-hidden="true">
          {isCritical ? "◆" : ""}
        </span>
        <span className={`${styles.state} ${stateClass(line.state)}`} aria-hidden="true">
          {stateShape(line.state)}
        </span>
        <span className={styles.text}>{line.name}</span>
      </span>
      <span className={styles.track}>
        {line.parts.map((part, at) => (
          <span
            key={at}
            className={`${styles.part} ${part.kind === "run" ? `solid ${stateClass(part.state ?? "running")}` : styles[part.kind]}`}
            style={{ left: `${(100 * (part.from - from)) / span}%`, width: `${(100 * (part.to - part.from)) / span}%` }}
          />
        ))}
      </span>
    </Link>
  );
});

function describePart(part: Part, zone: string): string {
  const names: Record<Part["kind"], string> = {
    ready: t("ready, waits"),
    run: t("try {number}", { number: part.tryNumber }),
    deferred: t("deferred"),
    retry: t("waits for the next try"),
  };
  const state = part.kind === "run" && part.state !== null ? `, ${stateName(part.state)}` : "";
  return `${names[part.kind]}: ${formatTime(new Date(part.from).toISOString(), zone)}, ${formatDuration((part.to - part.from) / 1000)}${state}`;
}
