/** A row for each DAG and for each of its runs, of which only those in view are in the document. */

import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState } from "react";
import { cutText } from "../../components/LongText";
import { TimeAxis, TimeLines } from "../../components/timeChart/TimeAxis";
import { percentOf, type Span, type TimeMark } from "../../components/timeChart/timeSpan";
import { ChartLegend, TimeBar } from "../../components/timeChart/TimeBar";
import chart from "../../components/timeChart/timeChart.module.css";
import { typeName } from "../../components/StateBadge";
import { useSize } from "../../components/useSize";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { useOverscan } from "../../state/printing";
import { formatSoon, useZone } from "../../state/times";
import { ExpandIcon, FoldedIcon } from "../../ui/icons";
import { type Bar, buildRows, mergeBars, type Row } from "./forecastRows";
import { formatShare } from "../baselines/baselineLevels";
import styles from "./forecast.module.css";

const ROW_PX = 28;

interface Props {
  bars: readonly Bar[];
  span: Span;
  /** When baselines are due. */
  marks: readonly TimeMark[];
  now: number;
}

export function ForecastChart({ bars, span, marks, now }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [track, width] = useSize<HTMLDivElement>();
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => buildRows(bars, turned), [bars, turned]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: useOverscan(10),
  });
  const turn = (dagId: string) =>
    setTurned((before) => {
      const after = new Set(before);
      if (!after.delete(dagId)) after.add(dagId);
      return after;
    });
  const inSpan = marks.filter(({ at }) => at >= span.from && at <= span.to);
  return (
    <>
      <div
        className={`${chart.chart} ${styles.chart}`}
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label={t("Chart of the coming runs")}
      >
        <div className={chart.width}>
          <TimeAxis span={span} heading={t("DAG")} track={track} width={width} marks={inSpan} />
          <div className={chart.rows}>
            <ol className={chart.rows} style={{ height: list.getTotalSize() }}>
              {list.getVirtualItems().map(({ index, start }) => {
                const row = rows[index] as Row;
                return (
                  <li key={row.key} className={chart.placed} style={{ transform: `translateY(${start}px)` }}>
                    {row.kind === "dag" ? (
                      <DagRow row={row} span={span} now={now} turn={turn} />
                    ) : (
                      <RunRow bar={row.bar} span={span} now={now} />
                    )}
                  </li>
                );
              })}
            </ol>
            <TimeLines span={span} marks={[...inSpan, { at: now, label: "", tone: "now" }]} />
          </div>
        </div>
      </div>
      <ChartLegend
        signs={[
          ["running", t("runs now")],
          ["predicted", t("predicted, to the end in half of the futures")],
          ["late", t("up to the end in nine of ten futures")],
          ["failed", t("fails in most futures")],
        ]}
      />
    </>
  );
}

interface DagRowProps {
  row: Extract<Row, { kind: "dag" }>;
  span: Span;
  now: number;
  turn: (dagId: string) => void;
}

const DagRow = memo(function DagRow({ row: { dagId, bars, isOpen }, span, turn }: DagRowProps) {
  const Sign = isOpen ? ExpandIcon : FoldedIcon;
  return (
    <div className={`${chart.row} ${chart.group}`}>
      <span className={chart.name}>
        <button
          type="button"
          className={styles.turn}
          aria-expanded={isOpen}
          aria-label={t("Runs of {dag}", { dag: dagId })}
          onClick={() => turn(dagId)}
        >
          <Sign size={14} aria-hidden="true" />
        </button>
        <Link to="/dags/$dagId" params={{ dagId }} search={{}} className={`name ${chart.cut}`} title={dagId}>
          {cutText(dagId)}
        </Link>
        <span className="soft" title={tn("{count} run", "{count} runs", bars.length)}>
          {formatCount(bars.length)}
        </span>
      </span>
      <span className={chart.track} aria-hidden="true">
        {!isOpen && mergeBars(bars, span).map((piece) => <TimeBar key={piece.from} span={span} piece={piece} />)}
      </span>
    </div>
  );
});

function RunRow({ bar, span, now }: { bar: Bar; span: Span; now: number }) {
  const { run, from, to, late, isRunning, kind } = bar;
  const words = useRunWords(bar, now);
  return (
    <div className={chart.row} title={words}>
      <span className={`${chart.name} ${chart.indent}`}>
        <span className={chart.cut}>
          <RunTime run={run} hasPage={isRunning} now={now} />
        </span>
        <span className="unseen">{words}</span>
      </span>
      <span className={chart.track} aria-hidden="true">
        {late > to && percentOf(span, to) < 100 && <TimeBar span={span} piece={{ from: to, to: late, kind: "late" }} />}
        <TimeBar span={span} piece={{ from, to, kind }} />
      </span>
    </div>
  );
}

/** When the run is due, and its type where that is not the usual one. A run that is to come has no page yet. */
function RunTime({ run, hasPage, now }: { run: Bar["run"]; hasPage: boolean; now: number }) {
  const time = formatSoon(run.run_after, useZone(), now);
  const words = run.run_type === "scheduled" ? time : `${time} · ${typeName(run.run_type)}`;
  if (!hasPage) return <span title={run.run_id}>{words}</span>;
  return (
    <Link
      to="/dags/$dagId/runs/$runId"
      params={{ dagId: run.dag_id, runId: run.run_id }}
      title={run.run_id}
      preload={false}
    >
      {words}
    </Link>
  );
}

function useRunWords({ run, from, isRunning }: Bar, now: number): string {
  const zone = useZone();
  const show = (at: string) => formatSoon(at, zone, now);
  const start = show(new Date(from).toISOString());
  const parts = [isRunning ? t("runs since {time}", { time: start }) : t("starts about {time}", { time: start })];
  parts.push(run.end_p50 ? t("ends about {time}", { time: show(run.end_p50) }) : t("in half of the futures not done"));
  if (run.end_p90) parts.push(t("nine of ten by {time}", { time: show(run.end_p90) }));
  if (run.failed_share > 0) parts.push(t("fails in {share} of the futures", { share: formatShare(run.failed_share) }));
  return parts.join(", ");
}
