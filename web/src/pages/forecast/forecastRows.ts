/** The runs of a forecast as rows of a chart: a row for each DAG, and below it, if it is open, one for each of its runs. */

import type { PredictedRun } from "../../api/baselines";
import type { Span } from "../../components/timeChart/timeSpan";
import type { BarKind, Piece } from "../../components/timeChart/TimeBar";

/** A DAG with more runs is folded at first. */
export const OPEN_MAX = 6;
/** In the row of a DAG, bars that are nearer to each other than this share of the width are one: no row has more than some hundred. */
const NEAR = 1 / 300;
const HOUR_MS = 3_600_000;
/** The part of the width that the past may take: a run that began long ago must not press the rest together. */
const PAST_SHARE = 0.2;
/** From this share of futures in which it fails, the bar says so. */
const FAILS = 0.5;

export interface Bar {
  run: PredictedRun;
  from: number;
  to: number;
  /** The end in nine of ten futures. */
  late: number;
  /** It had begun when the state was read. */
  isRunning: boolean;
  kind: BarKind;
}

export type Row =
  | { kind: "dag"; key: string; dagId: string; bars: readonly Bar[]; isOpen: boolean }
  | { kind: "run"; key: string; bar: Bar };

export function listBars(runs: readonly PredictedRun[], at: number): Bar[] {
  return runs.map((run) => {
    const from = Date.parse(run.start_p50 ?? run.run_after);
    const isRunning = run.start_p50 !== null && from < at;
    const to = run.end_p50 === null ? Infinity : Date.parse(run.end_p50);
    const late = run.end_p90 === null ? Infinity : Date.parse(run.end_p90);
    return {
      run,
      from,
      to,
      late,
      isRunning,
      kind: run.failed_share >= FAILS ? "failed" : isRunning ? "running" : "predicted",
    };
  });
}

/** The hours from the present on; without a number all that was predicted. What runs now begins at its real start, if that is near. */
export function findSpan(bars: readonly Bar[], at: number, until: number, hours: number | undefined): Span {
  const last = bars.reduce((latest, bar) => (bar.late === Infinity ? latest : Math.max(latest, bar.late)), at);
  const to = hours === undefined ? Math.max(at + HOUR_MS / 4, Math.min(until, last)) : at + hours * HOUR_MS;
  const first = bars.reduce((earliest, bar) => Math.min(earliest, bar.from), at);
  return { from: Math.max(first, at - PAST_SHARE * (to - at)), to };
}

export function chooseBars(bars: readonly Bar[], span: Span, search: string | undefined): Bar[] {
  const words = search?.toLowerCase() ?? "";
  return bars.filter(
    ({ run, from, late }) => from <= span.to && late >= span.from && run.dag_id.toLowerCase().includes(words),
  );
}

/** The DAG whose first run starts first is the first. `turned`: the DAGs that the reader has opened or folded. */
export function buildRows(bars: readonly Bar[], turned: ReadonlySet<string>): Row[] {
  const byDag = new Map<string, Bar[]>();
  for (const bar of bars.toSorted((one, other) => one.from - other.from)) {
    const known = byDag.get(bar.run.dag_id);
    if (known) known.push(bar);
    else byDag.set(bar.run.dag_id, [bar]);
  }
  return [...byDag].flatMap(([dagId, ofDag]) => {
    const isOpen = ofDag.length <= OPEN_MAX !== turned.has(dagId);
    const head: Row = { kind: "dag", key: dagId, dagId, bars: ofDag, isOpen };
    return isOpen
      ? [head, ...ofDag.map((bar): Row => ({ kind: "run", key: `${dagId} ${bar.run.run_id}`, bar }))]
      : [head];
  });
}

/** The bars of a DAG in one row. */
export function mergeBars(bars: readonly Bar[], span: Span): Piece[] {
  const near = NEAR * (span.to - span.from);
  const pieces: Piece[] = [];
  for (const { from, to, kind } of bars) {
    const last = pieces.at(-1);
    if (last && last.kind === kind && from - last.to < near) last.to = Math.max(last.to, to);
    else pieces.push({ from, to, kind });
  }
  return pieces;
}
