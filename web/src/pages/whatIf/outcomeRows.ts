/** The runs of both worlds as rows of a chart: a row for each DAG, and below it one for each of its runs, with what was and what would be. */

import type { ComparedRun, SimulationAnswer } from "../../api/simulations";
import type { Span } from "../../components/timeChart/timeSpan";

/** How the bar of the changed world is drawn. */
export type Tone = "same" | "later" | "earlier" | "moved" | "new" | "gone" | "failed";

export interface OutcomeBar {
  run: ComparedRun;
  tone: Tone;
  /** Null: the run is not in this world. */
  before: Piece | null;
  after: Piece | null;
  /** The first instant of both. */
  at: number;
}

interface Piece {
  from: number;
  /** Infinity: it does not end. */
  to: number;
}

export type OutcomeRow =
  | { kind: "dag"; key: string; dagId: string; bars: readonly OutcomeBar[]; isOpen: boolean; changed: number }
  | { kind: "run"; key: string; bar: OutcomeBar };

/** A DAG with more runs is folded at first. */
export const OPEN_MAX = 8;
const HOUR_MS = 3_600_000;
/** From this share of futures in which it fails, the bar says so. */
const FAILS = 0.5;

const TONES: Record<string, Tone> = {
  "": "same",
  appears: "new",
  vanishes: "gone",
  moves: "moved",
  "ends later": "later",
  "does not end": "later",
  "starts later": "later",
  "ends earlier": "earlier",
  "ends now": "earlier",
  "starts earlier": "earlier",
  "other state": "later",
};

function readPiece(times: ComparedRun["before"]): Piece | null {
  if (times === null) return null;
  const from = Date.parse(times.start_p50 ?? times.run_after);
  return { from, to: times.end_p50 === null ? Infinity : Math.max(from, Date.parse(times.end_p50)) };
}

export function listBars(runs: readonly ComparedRun[]): OutcomeBar[] {
  return runs.map((run) => {
    const before = readPiece(run.before);
    const after = readPiece(run.after);
    const fails = (run.after?.failed_share ?? 0) >= FAILS;
    const tone = fails && run.change !== "" ? "failed" : (TONES[run.change] ?? "same");
    return { run, tone, before, after, at: Math.min(before?.from ?? Infinity, after?.from ?? Infinity) };
  });
}

/** From the present, or the begin of the simulation, to the last end that is known. */
export function findSpan(bars: readonly OutcomeBar[], { since, until }: SimulationAnswer): Span {
  const from = Date.parse(since);
  const ends = bars.flatMap(({ before, after }) => [before?.to ?? 0, after?.to ?? 0]).filter(Number.isFinite);
  const last = ends.reduce((latest, end) => Math.max(latest, end), from);
  const to = Math.min(last, Date.parse(until) + 2 * HOUR_MS);
  return { from, to: Math.max(from + HOUR_MS / 2, to) };
}

/** DAGs with changed runs first, then by their first run. `turned`: the DAGs that the reader has opened or folded. */
export function buildRows(bars: readonly OutcomeBar[], turned: ReadonlySet<string>): OutcomeRow[] {
  const byDag = new Map<string, OutcomeBar[]>();
  for (const bar of bars.toSorted((one, other) => one.at - other.at)) {
    const known = byDag.get(bar.run.dag_id);
    if (known) known.push(bar);
    else byDag.set(bar.run.dag_id, [bar]);
  }
  const dags = [...byDag].map(([dagId, ofDag]) => ({
    dagId,
    bars: ofDag,
    changed: ofDag.filter(({ tone }) => tone !== "same").length,
  }));
  return dags
    .toSorted((one, other) => Number(other.changed > 0) - Number(one.changed > 0))
    .flatMap(({ dagId, bars: ofDag, changed }) => {
      const isOpen = ofDag.length <= OPEN_MAX !== turned.has(dagId);
      const head: OutcomeRow = { kind: "dag", key: dagId, dagId, bars: ofDag, isOpen, changed };
      if (!isOpen) return [head];
      return [
        head,
        ...ofDag.map((bar): OutcomeRow => ({
          kind: "run",
          key: `${dagId} ${bar.run.run_type} ${bar.run.run_id}`,
          bar,
        })),
      ];
    });
}

/** What matters most comes first. */
const WEIGHTS = [
  "does not end",
  "other state",
  "ends later",
  "ends now",
  "ends earlier",
  "moves",
  "vanishes",
  "appears",
  "starts later",
  "starts earlier",
];

/** How many runs differ, by what happens to them. */
export function countChanges(runs: readonly ComparedRun[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { change } of runs) if (change) counts.set(change, (counts.get(change) ?? 0) + 1);
  return WEIGHTS.flatMap((change): [string, number][] => {
    const count = counts.get(change);
    return count ? [[change, count]] : [];
  });
}

/** The runs that differ, for a table: by what happens to them, then by how much. */
export function sortChanged(runs: readonly ComparedRun[]): ComparedRun[] {
  return runs
    .filter(({ change }) => change !== "")
    .toSorted(
      (one, other) =>
        WEIGHTS.indexOf(one.change) - WEIGHTS.indexOf(other.change) ||
        Math.abs(other.shift ?? 0) - Math.abs(one.shift ?? 0),
    );
}

/** The run whose end moves most to later, else most to earlier. */
export function findGreatestShift(runs: readonly ComparedRun[]): ComparedRun | undefined {
  const ended = runs.filter(({ shift, change }) => shift !== null && change !== "" && change !== "moves");
  const latest = ended.reduce<ComparedRun | undefined>(
    (most, run) => ((run.shift ?? 0) > (most?.shift ?? 0) ? run : most),
    undefined,
  );
  if (latest) return latest;
  return ended.reduce<ComparedRun | undefined>(
    (most, run) => ((run.shift ?? 0) < (most?.shift ?? 0) ? run : most),
    undefined,
  );
}
