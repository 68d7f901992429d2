/** What the address of a grid says. */

import type { RunFilters } from "../../api/dagViews";
import { count, instant, oneOf, readerOf, text } from "../../state/searchValues";

export interface DagView {
  runs?: number;
  /** Which tasks are shown. */
  state?: "failed" | "unfinished";
  task?: string;
  /** Which runs are shown. */
  run_state?: string;
  type?: string;
  from?: string;
  to?: string;
  /** The run before which the shown ones are. */
  before?: string;
  /** The folded groups, divided by commas; "-": none. Without it a large DAG has all folded. */
  fold?: string;
}

/** The runs of a grid whose address says nothing else. */
export const RUNS_SHOWN = 25;

/** The filters of runs, as the API has them. */
export function chooseRuns(view: DagView): RunFilters {
  return { state: view.run_state, type: view.type, from: view.from, to: view.to };
}

const RUNS_MAX = 365;

export const readDagView = readerOf<DagView>({
  runs: runsShown,
  state: oneOf(["failed", "unfinished"]),
  task: text,
  run_state: oneOf(["queued", "running", "success", "failed"]),
  type: oneOf(["scheduled", "manual", "backfill", "asset_triggered"]),
  from: instant,
  to: instant,
  before: text,
  fold: text,
});

function runsShown(value: unknown): number | undefined {
  const runs = count(value) ?? RUNS_SHOWN;
  return runs > 0 && runs <= RUNS_MAX && runs !== RUNS_SHOWN ? runs : undefined;
}
