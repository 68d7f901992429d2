/** What grid, graph and Gantt chart of a DAG read. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import type { DagOverview, Grid, RunTimeline, Structure } from "./shapes";

const PICKED_RUNS = 50;

export interface RunFilters {
  state?: string;
  type?: string;
  from?: string;
  to?: string;
}

/** `before`: the run before which the runs of this piece are; undefined for the newest. */
/** Runs of the first piece of a grid, and about so many cells of each further one. */
const FIRST_RUNS = 25;
const PIECE_CELLS = 60_000;

interface GridPlace {
  runs: number;
  before: string | undefined;
}

/** The grid in pieces, each older than the one before: the newest runs are shown while the others are read. `before`: only runs before this one. */
export const gridPiecesQuery = (dagId: string, filters: RunFilters, runs: number, before: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ["dag", dagId, "grid", filters, runs, before ?? null],
    initialPageParam: { runs: Math.min(runs, FIRST_RUNS), before } as GridPlace,
    queryFn: async ({ pageParam: { runs: count, before: next } }) =>
      (await get("/api/gnomon/v1/dags/{dag_id}/grid", {
        path: { dag_id: dagId },
        query: {
          runs: count,
          before: next,
          state: filters.state,
          run_type: filters.type,
          run_after_gte: filters.from,
          run_after_lte: toMicroseconds(filters.to),
        },
      })) as Grid,
    getNextPageParam: (last, pieces) => nextPiece(last, runs - pieces.reduce((sum, one) => sum + one.runs.length, 0)),
    placeholderData: keepPreviousData,
  });

/** The place of the next piece; undefined: there is no older run, or as many as wanted are read. */
export function nextPiece(last: Pick<Grid, "runs" | "has_older" | "task_ids">, left: number): GridPlace | undefined {
  if (!last.has_older || left <= 0) return undefined;
  return {
    runs: Math.max(1, Math.min(left, Math.floor(PIECE_CELLS / Math.max(1, last.task_ids.length)))),
    before: last.runs[0]?.run_id,
  };
}

/** The last millisecond of a day with its last microsecond: the instants of runs have microseconds. */
function toMicroseconds(last: string | undefined): string | undefined {
  return last?.replace(/\.999Z$/, ".999999Z");
}

/** The states of all tasks in one run. */
export const columnQuery = (dagId: string, runId: string | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "run", runId, "column"],
    queryFn: async () =>
      (await get("/api/gnomon/v1/dags/{dag_id}/grid", {
        path: { dag_id: dagId },
        query: { runs: 1, run_id: runId },
      })) as Grid,
    enabled: runId !== undefined,
  });

/** The tasks of the version that the run uses; of the newest version without a run. */
export const structureQuery = (dagId: string, runId: string | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "structure", runId ?? null],
    queryFn: async () =>
      (await get("/api/gnomon/v1/dags/{dag_id}/structure", {
        path: { dag_id: dagId },
        query: { run_id: runId },
      })) as Structure,
    placeholderData: keepPreviousData,
  });

export const runTimelineQuery = (dagId: string, runId: string | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "run", runId, "times"],
    queryFn: async () =>
      (await get("/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/timeline", {
        path: { dag_id: dagId, dag_run_id: runId ?? "" },
      })) as RunTimeline,
    enabled: runId !== undefined,
  });

/** The newest runs, for a choice. */
export const newestRunsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "newest"],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns", {
        path: { dag_id: dagId },
        query: { limit: PICKED_RUNS, order_by: "-run_after" },
      }),
  });

/** The facts of a DAG as its line in the list has them: the newest runs, the schedule, the next run. Null for a DAG that is not listed. */
export const dagFactsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "facts"],
    queryFn: async () =>
      ((await get("/api/gnomon/v1/dags", { query: { dag_id: [dagId], limit: 1 } })).dags[0] ??
        null) as DagOverview | null,
  });
