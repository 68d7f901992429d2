/** What the address of a grid says. */

import type { RunFilters } from "../../api/dagViews";
import { instant, one, type Search, text } from "../../state/searchValues";

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

export function readDagView(search: Search): DagView {
  const runs = Number(search.runs ?? RUNS_SHOWN);
  return {
    runs: Number.isInteger(runs) && runs > 0 && runs <= 365 && runs !== RUNS_SHOWN ? runs : undefined,
    state: one(["failed", "unfinished"], search.state),
    task: text(search.task),
    run_state: one(["queued", "running", "success", "failed"], search.run_state),
    type: one(["scheduled", "manual", "backfill", "asset_triggered"], search.type),
    from: instant(search.from),
    to: instant(search.to),
    before: text(search.before),
    fold: text(search.fold),
  };
}
