/** What the address of a grid says. */

import type { RunFilters } from "../../api/dagViews";
import { count, dropUnset, instant, oneOf, readerOf, text } from "../../state/searchValues";
import { LOG } from "../task/log/logOptions";
import { PARTS } from "../task/taskParts";
import type { TaskView } from "../task/taskSearch";

/** What the sheet beside the grid shows: a run, or a task of it with the options of its parts. */
export interface SheetView extends Pick<
  TaskView,
  "map" | "try" | "beside" | "part" | "find" | "level" | "source" | "line"
> {
  run?: string;
  instance?: string;
}

export interface DagView extends SheetView {
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
  run: text,
  instance: text,
  map: count,
  try: count,
  beside: count,
  part: oneOf(PARTS.slice(1)),
  ...LOG,
});

/** The address without what the sheet shows. */
export function closeSheet(view: DagView): DagView {
  const { runs, state, task, run_state, type, from, to, before, fold } = view;
  return dropUnset({ runs, state, task, run_state, type, from, to, before, fold } as DagView);
}

/** The sheet of another run or task. A part of a task stays open from one to the next. */
export function openSheet(view: DagView, runId: string, taskId: string | undefined): DagView {
  return dropUnset({
    ...closeSheet(view),
    run: runId,
    instance: taskId,
    part: taskId === undefined ? undefined : view.part,
  } as DagView);
}

function runsShown(value: unknown): number | undefined {
  const runs = count(value) ?? RUNS_SHOWN;
  return runs > 0 && runs <= RUNS_MAX && runs !== RUNS_SHOWN ? runs : undefined;
}
