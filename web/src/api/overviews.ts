/** What the home page and the lists over all DAGs read. The keys begin as in `queries.ts`, so that events make them stale. */

import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { showToast } from "../state/toasts";
import { t } from "../state/language";
import { get, post } from "./client";
import type { DagOverviews } from "./shapes";

export const LIST_SIZE = 50;
const CHOICES_MS = 300_000;
const TIMELINE_MS = 300_000;

/** A filter of the DAG list by its name in the API: values, or yes and no. */
export const DAG_VALUES = ["tag", "owner", "state", "schedule", "folder"] as const;
export const DAG_FLAGS = ["paused", "unscheduled", "late", "warning", "import_error", "favorite"] as const;
type Values = (typeof DAG_VALUES)[number];
type Flags = (typeof DAG_FLAGS)[number];

export type DagSearch = {
  search?: string;
  mode?: "all";
  sort?: string;
  page?: number;
  /** `all`: without filters, although a view is the default. */
  view?: "all";
} & { [Name in Values | `${Values}_not`]?: string[] } & { [Name in Flags]?: boolean };

export const dagOverviewsQuery = (search: DagSearch) =>
  queryOptions({
    queryKey: ["dags", "overview", search],
    queryFn: async () => {
      const { mode, sort, page, view: _view, ...filters } = search;
      return (await get("/api/gnomon/v1/dags", {
        query: {
          ...filters,
          tags_match_mode: mode,
          order_by: sort,
          limit: LIST_SIZE,
          offset: ((page ?? 1) - 1) * LIST_SIZE,
        },
      })) as DagOverviews;
    },
    placeholderData: keepPreviousData,
  });

/** How many DAGs there are without any filter. */
export const dagCountQuery = () =>
  queryOptions({
    queryKey: ["dags", "count"],
    queryFn: () => get("/api/gnomon/v1/dags", { query: { limit: 1 } }).then((found) => found.total),
  });

export const filterChoicesQuery = () =>
  queryOptions({
    queryKey: ["dagFilters"],
    queryFn: () => get("/api/gnomon/v1/dagFilters"),
    staleTime: CHOICES_MS,
  });

export const failuresQuery = (since: string) =>
  queryOptions({
    queryKey: ["failures", since],
    queryFn: () => get("/api/gnomon/v1/failures", { query: { since, limit: 100 } }),
    placeholderData: keepPreviousData,
  });

export const GROUPINGS = ["tag", "owner", "folder", "pool", "state", "dag"] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface TimelineView {
  group: Grouping;
  /** Only the DAGs of this group of `within`. */
  within?: string;
  value?: string;
  /** By how many minutes past the full hour the zone is ahead of UTC. */
  ahead?: number;
}

export const timelineQuery = (view: TimelineView) =>
  queryOptions({
    queryKey: ["timeline", view],
    queryFn: () =>
      get("/api/gnomon/v1/timeline", {
        query: {
          group_by: view.group,
          hours: 24,
          past: 6,
          limit: 12,
          groups: 20,
          ...(view.ahead ? { ahead: view.ahead } : {}),
          ...(view.within && view.value ? { [view.within]: view.value } : {}),
        },
      }),
    refetchInterval: TIMELINE_MS, // the hours move without an event
    placeholderData: keepPreviousData,
  });

/** Texts with `!` before them are negated. */
export type RunSearch = {
  dag_id?: string;
  dag?: string;
  run?: string;
  state?: string[];
  state_not?: string[];
  type?: string[];
  type_not?: string[];
  schedule?: string[];
  schedule_not?: string[];
  late?: boolean;
  by?: "start" | "due";
  from?: string;
  to?: string;
  longer?: number;
  shorter?: number;
  sort?: string;
  cursor?: string;
  /** `all`: without filters, although a view is the default. */
  view?: "all";
};

export const RUN_STATES = ["queued", "running", "success", "failed"] as const;
export const RUN_TYPES = [
  "scheduled",
  "manual",
  "backfill",
  "asset_triggered",
  "operator_triggered",
  "asset_materialization",
] as const;
const DATES = { end: "end_date", start: "start_date", due: "run_after" } as const;

export const runListQuery = (search: RunSearch) =>
  queryOptions({
    queryKey: ["runs", "list", search],
    queryFn: () => {
      const date = DATES[search.by ?? "end"];
      return get("/api/gnomon/v1/dags/{dag_id}/dagRuns", {
        path: { dag_id: search.dag_id || "~" },
        query: {
          limit: LIST_SIZE,
          cursor: search.cursor ?? "",
          order_by: search.sort ?? "-run_after",
          ...splitNegated(search.dag, "dag_id_pattern", "dag_id_not_pattern"),
          ...splitNegated(search.run, "run_id_pattern", "run_id_not_pattern"),
          timetable_type: search.schedule,
          timetable_type_not: search.schedule_not,
          late: search.late,
          state: without(RUN_STATES, search.state, search.state_not),
          run_type: without(RUN_TYPES, search.type, search.type_not),
          [`${date}_gte`]: search.from,
          [`${date}_lte`]: search.to,
          duration_gte: search.longer,
          duration_lte: search.shorter,
        },
      });
    },
    placeholderData: keepPreviousData,
  });

/** How many runs there are without any filter. */
export const runCountQuery = () =>
  queryOptions({
    queryKey: ["runs", "count"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/dagRuns", { path: { dag_id: "~" }, query: { limit: 1, cursor: "" } }),
  });

/** Texts with `!` before them are negated. */
export type TaskSearch = {
  dag_id?: string;
  dag?: string;
  run?: string;
  task?: string;
  state?: string[];
  state_not?: string[];
  operator?: string;
  pool?: string;
  queue?: string;
  map?: number | string;
  by?: "start" | "due";
  from?: string;
  to?: string;
  longer?: number;
  shorter?: number;
  sort?: string;
  cursor?: string;
  /** `all`: without filters, although a view is the default. */
  view?: "all";
};

export const TASK_STATES = [
  "none",
  "scheduled",
  "queued",
  "running",
  "success",
  "failed",
  "skipped",
  "upstream_failed",
  "up_for_retry",
  "up_for_reschedule",
  "deferred",
  "awaiting_input",
  "restarting",
  "removed",
] as const;

export const taskListQuery = (search: TaskSearch) =>
  queryOptions({
    queryKey: ["tasks", "list", search],
    queryFn: () => {
      const date = DATES[search.by ?? "end"];
      return get("/api/gnomon/v1/dags/{dag_id}/taskInstances", {
        path: { dag_id: search.dag_id || "~" },
        query: {
          limit: LIST_SIZE,
          cursor: search.cursor ?? "",
          order_by: search.sort ?? "-run_after",
          state: without(TASK_STATES, search.state, search.state_not),
          ...splitNegated(search.dag, "dag_id_pattern", "dag_id_not_pattern"),
          ...splitNegated(search.run, "run_id_pattern", "run_id_not_pattern"),
          ...splitNegated(search.task, "task_id", "task_id_not"),
          ...splitNegated(search.operator, "operator", "operator_not"),
          ...splitNegated(search.pool, "pool", "pool_not"),
          ...splitNegated(search.queue, "queue", "queue_not"),
          ...splitNegated(search.map, "map_index", "map_index_not"),
          [`${date}_gte`]: search.from,
          [`${date}_lte`]: search.to,
          duration_gte: search.longer,
          duration_lte: search.shorter,
        },
      });
    },
    placeholderData: keepPreviousData,
  });

/** How many task instances there are without any filter. */
export const taskCountQuery = () =>
  queryOptions({
    queryKey: ["tasks", "count"],
    queryFn: () =>
      get("/api/gnomon/v1/dags/{dag_id}/taskInstances", { path: { dag_id: "~" }, query: { limit: 1, cursor: "" } }),
  });

/** The value of the address as parameters of the API: under its name, or negated under another. */
function splitNegated(value: string | number | undefined, name: string, negatedName: string): Record<string, string> {
  const text = String(value ?? "");
  const isNot = text.startsWith("!");
  const plain = isNot ? text.slice(1) : text;
  return plain ? { [isNot ? negatedName : name]: plain } : {};
}

/** The wanted ones of known values; undefined when all are wanted. The API has no "not": it gets the others. */
export function without(
  known: readonly string[],
  wanted: readonly string[] | undefined,
  unwanted: readonly string[] | undefined,
): string[] | undefined {
  if (!wanted?.length && !unwanted?.length) return undefined;
  return known.filter((one) => (!wanted?.length || wanted.includes(one)) && !unwanted?.includes(one));
}

export function useFavorite(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (marked: boolean) =>
      post(`/api/v2/dags/{dag_id}/${marked ? "favorite" : "unfavorite"}`, { path: { dag_id: dagId } }),
    onSuccess: (_answer, marked) => {
      showToast(
        marked ? t("{dag} is a favourite.", { dag: dagId }) : t("{dag} is no favourite any more.", { dag: dagId }),
        undefined,
        false,
        `favourite ${dagId}`,
      );
      return client.invalidateQueries({ queryKey: ["dags"] });
    },
  });
}
