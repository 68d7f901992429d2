/** The Gantt of both worlds: above what was to come, pale, below what comes with the changes. Only the rows in view are in the document. */

import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState } from "react";
import type { SimulationAnswer } from "../../api/simulations";
import { cutText } from "../../components/LongText";
import { typeName } from "../../components/StateBadge";
import { TimeAxis, TimeLines } from "../../components/timeChart/TimeAxis";
import chart from "../../components/timeChart/timeChart.module.css";
import { percentOf, type Span, type TimeMark } from "../../components/timeChart/timeSpan";
import { useNarrow } from "../../components/useNarrow";
import { useSize } from "../../components/useSize";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { useOverscan } from "../../state/printing";
import { formatClock, formatSoon, useZone } from "../../state/times";
import { ExpandIcon, FoldedIcon } from "../../ui/icons";
import { buildRows, type OutcomeBar, type OutcomeRow, type Tone } from "./outcomeRows";
import { describeRun } from "./outcomeWords";
import styles from "./whatIf.module.css";

const ROW_PX = 28;
/** In the folded row of a DAG so many bars are drawn, evenly chosen. */
const FOLDED_MAX = 150;

interface Props {
  bars: readonly OutcomeBar[];
  span: Span;
  marks: readonly TimeMark[];
  now: number;
  spans: SimulationAnswer["spans"];
}

export function OutcomeChart({ bars, span, marks, now, spans }: Props) {
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
  const tones = new Set(bars.map(({ tone }) => tone));
  return (
    <>
      <div
        className={`${chart.chart} ${styles.chart}`}
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label={t("Chart of both futures")}
      >
        <div className={chart.width}>
          <TimeAxis span={span} heading={t("DAG")} track={track} width={width} marks={inSpan} />
          <div className={chart.rows}>
            <ol className={chart.rows} style={{ height: list.getTotalSize() }}>
              {list.getVirtualItems().map(({ index, start }) => {
                const row = rows[index] as OutcomeRow;
                return (
                  <li key={row.key} className={chart.placed} style={{ transform: `translateY(${start}px)` }}>
                    {row.kind === "dag" ? (
                      <DagRow row={row} span={span} turn={turn} />
                    ) : (
                      <RunRow bar={row.bar} span={span} now={now} spans={spans} />
                    )}
                  </li>
                );
              })}
            </ol>
            <TimeLines span={span} marks={inSpan} />
          </div>
        </div>
      </div>
      <ul className={`legend ${styles.legend}`}>
        <li>
          <Swatch className={styles.before} /> {t("without the changes")}
        </li>
        {LEGEND.filter(([tone]) => tones.has(tone)).map(([tone, words]) => (
          <li key={tone}>
            <Swatch className={`${styles.after} ${styles[tone]}`} /> {t(words)}
          </li>
        ))}
      </ul>
    </>
  );
}

const LEGEND: readonly (readonly [Tone, string])[] = [
  ["later", /* text */ "ends later"],
  ["earlier", /* text */ "ends earlier"],
  ["moved", /* text */ "is due at another time"],
  ["new", /* text */ "was not there"],
  ["gone", /* text */ "is not there any more"],
  ["failed", /* text */ "fails in most futures"],
  ["same", /* text */ "as before"],
];

function Swatch({ className }: { className: string | undefined }) {
  return <span className={`${className} ${styles.swatch}`} aria-hidden="true" />;
}

interface DagRowProps {
  row: Extract<OutcomeRow, { kind: "dag" }>;
  span: Span;
  turn: (dagId: string) => void;
}

const DagRow = memo(function DagRow({ row: { dagId, bars, isOpen, changed }, span, turn }: DagRowProps) {
  const Sign = isOpen ? ExpandIcon : FoldedIcon;
  const step = Math.ceil(bars.length / FOLDED_MAX);
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
        {changed > 0 && (
          <span
            className={styles.changed}
            title={tn("{count} run is different", "{count} runs are different", changed)}
          >
            {formatCount(changed)}
          </span>
        )}
      </span>
      <span className={chart.track} aria-hidden="true">
        {!isOpen &&
          bars
            .filter((_, at) => at % step === 0)
            .map((bar) => <Bars key={`${bar.run.run_id}`} bar={bar} span={span} />)}
      </span>
    </div>
  );
});

interface RunRowProps {
  bar: OutcomeBar;
  span: Span;
  now: number;
  spans: SimulationAnswer["spans"];
}

function RunRow({ bar, span, now, spans }: RunRowProps) {
  const zone = useZone();
  const { run } = bar;
  const isNarrow = useNarrow();
  const words = describeRun(run, spans, zone, now);
  const due = (run.after ?? run.before)?.run_after ?? "";
  const time = isNarrow ? formatClock(due, zone).slice(0, 5) : formatSoon(due, zone, now);
  return (
    <div className={chart.row} title={words}>
      <span className={`${chart.name} ${chart.indent}`}>
        <span className={chart.cut}>{run.run_type === "scheduled" ? time : `${time} · ${typeName(run.run_type)}`}</span>
        <span className="unseen">{words}</span>
      </span>
      <span className={chart.track} aria-hidden="true">
        <Bars bar={bar} span={span} />
      </span>
    </div>
  );
}

function Bars({ bar: { before, after, tone }, span }: { bar: OutcomeBar; span: Span }) {
  return (
    <>
      {before && tone !== "same" && <Bar span={span} piece={before} className={styles.before} />}
      {after && <Bar span={span} piece={after} className={`${styles.after} ${styles[tone]}`} />}
      {!after && before && <Bar span={span} piece={before} className={`${styles.after} ${styles.gone}`} />}
    </>
  );
}

function Bar({
  span,
  piece,
  className,
}: {
  span: Span;
  piece: { from: number; to: number };
  className: string | undefined;
}) {
  if (piece.to < span.from || piece.from > span.to) return null;
  const left = percentOf(span, piece.from);
  const width = percentOf(span, piece.to) - left;
  return (
    <span
      className={`${styles.bar} ${className} ${piece.to > span.to ? styles.open : ""}`}
      style={{ left: `${left}%`, width: `${width}%` }}
    />
  );
}
