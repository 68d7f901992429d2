/** What the page reads and asks about the plan of a DAG: its year, a run before it is created, backfills, its source, its audit log. */

import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { get, post } from "./client";

const DAY_ROWS_MAX = 50;
const PREVIEW_MS = 30_000;

export const calendarQuery = (dagId: string, year: number | undefined, timezone: string | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "calendar", year, timezone],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/calendar", { path: { dag_id: dagId }, query: { year, timezone } }),
    placeholderData: keepPreviousData,
  });

/** The runs that were due in a span, newest first. */
export const runsBetweenQuery = (dagId: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "runs", from, to],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns", {
        path: { dag_id: dagId },
        query: {
          run_after_gte: from,
          run_after_lt: to,
          order_by: "run_after",
          limit: DAY_ROWS_MAX,
        },
      }),
  });

/** The slots of the schedule in a span, with and without runs. */
export const slotsBetweenQuery = (dagId: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "slots", from, to],
    queryFn: () =>
      post("/api/gnomon/v1/timetables/preview", {
        body: {
          schedule: { dag_id: dagId },
          from,
          to,
          limit: DAY_ROWS_MAX,
        },
      }),
  });

export interface NewRun {
  dag_run_id?: string;
  logical_date: string | null;
  data_interval_start?: string;
  data_interval_end?: string;
  run_after?: string;
  note?: string;
  conf: Record<string, unknown>;
}

export const runPreviewQuery = (dagId: string, body: NewRun) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "preview", body],
    queryFn: () => post("/api/gnomon/v1/dags/{dag_id}/runPreview", { path: { dag_id: dagId }, body }),
    placeholderData: keepPreviousData,
    staleTime: PREVIEW_MS,
  });

export function useCreateRun(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewRun) => post("/api/v2/dags/{dag_id}/dagRuns", { path: { dag_id: dagId }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["dag", dagId] }),
  });
}

export interface BackfillRange {
  from_date: string;
  to_date: string;
  reprocess_behavior: "none" | "failed" | "completed";
  run_backwards: boolean;
  max_active_runs: number;
  dag_run_conf: Record<string, unknown> | null;
}

export function usePreviewBackfill(dagId: string) {
  return useMutation({
    mutationFn: (range: BackfillRange) =>
      post("/api/gnomon/v1/dags/{dag_id}/backfillPreview", { path: { dag_id: dagId }, body: range }),
  });
}

export function useCreateBackfill(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (range: BackfillRange) => post("/api/v2/backfills", { body: { dag_id: dagId, ...range } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["dag", dagId] }),
        client.invalidateQueries({ queryKey: ["backfills"] }),
      ]),
  });
}

export const versionsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "versions"],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/versions", { path: { dag_id: dagId } }),
  });

export const sourceQuery = (dagId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "versions", "source", version],
    queryFn: () => get("/api/v2/dagSources/{dag_id}", { path: { dag_id: dagId }, query: { version_number: version } }),
  });

/** The newest runs whose last tasks were those of a version. */
export const runsOfVersionQuery = (dagId: string, version: number) =>
  queryOptions({
    queryKey: ["dag", dagId, "grid", "version", version],
    queryFn: () =>
      get("/api/v2/dags/{dag_id}/dagRuns", {
        path: { dag_id: dagId },
        query: {
          dag_version: version,
          limit: 5,
          order_by: "-run_after",
        },
      }),
  });

export const settingsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "settings"],
    queryFn: () => get("/api/gnomon/v1/dags/{dag_id}/settings", { path: { dag_id: dagId } }),
  });

export interface AuditFilters {
  event?: string;
  by?: string;
  run?: string;
  from?: string;
  to?: string;
}

/** Pages of the audit log, each older than the one before. */
export const auditQuery = (dagId: string, filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ["dag", dagId, "grid", "audit", filters],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) =>
      get("/api/gnomon/v1/dags/{dag_id}/audit", {
        path: { dag_id: dagId },
        query: {
          older_than: pageParam,
          event: filters.event,
          by: filters.by,
          run_id: filters.run,
          from: filters.from,
          to: filters.to,
        },
      }),
    getNextPageParam: (page) => page.next ?? undefined,
  });
