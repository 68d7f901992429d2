/** What the page reads and asks about the plan of a DAG: its year, a run before it is created, backfills, its source, its audit log. */

import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { change, part, read } from "./client";
import { dagPath } from "./queries";
import type {
  AuditPage,
  BackfillPreview,
  DagRun,
  DagRunList,
  DagSettings,
  DagSource,
  DagVersionRows,
  RunPreview,
  SchedulePreview,
  YearCalendar,
} from "./shapes";

const V2 = "/api/v2";
const OWN = "/api/gnomon/v1";
const DAY_ROWS_MAX = 50;
const PREVIEW_MS = 30_000;

const ownDagPath = (dagId: string) => `${OWN}/dags/${part(dagId)}`;

export const calendarQuery = (dagId: string, year: number | undefined, timezone: string | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "calendar", year, timezone],
    queryFn: () => read<YearCalendar>(`${ownDagPath(dagId)}/calendar`, { year, timezone }),
    placeholderData: keepPreviousData,
  });

/** The runs that were due in a span, newest first. */
export const runsBetweenQuery = (dagId: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "runs", from, to],
    queryFn: () =>
      read<DagRunList>(`${dagPath(dagId)}/dagRuns`, {
        run_after_gte: from,
        run_after_lt: to,
        order_by: "run_after",
        limit: DAY_ROWS_MAX,
      }),
  });

/** The slots of the schedule in a span, with and without runs. */
export const slotsBetweenQuery = (dagId: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "next", "slots", from, to],
    queryFn: () =>
      change<SchedulePreview>("POST", `${OWN}/timetables/preview`, {
        schedule: { dag_id: dagId },
        from,
        to,
        limit: DAY_ROWS_MAX,
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
    queryFn: () => change<RunPreview>("POST", `${ownDagPath(dagId)}/runPreview`, body),
    placeholderData: keepPreviousData,
    staleTime: PREVIEW_MS,
  });

export function useCreateRun(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewRun) => change<DagRun>("POST", `${dagPath(dagId)}/dagRuns`, body),
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
      change<BackfillPreview>("POST", `${ownDagPath(dagId)}/backfillPreview`, range),
  });
}

export function useCreateBackfill(dagId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (range: BackfillRange) => change<unknown>("POST", `${V2}/backfills`, { dag_id: dagId, ...range }),
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
    queryFn: () => read<DagVersionRows>(`${ownDagPath(dagId)}/versions`),
  });

export const sourceQuery = (dagId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ["dag", dagId, "versions", "source", version],
    queryFn: () => read<DagSource>(`${V2}/dagSources/${part(dagId)}`, { version_number: version }),
  });

/** The newest runs whose last tasks were those of a version. */
export const runsOfVersionQuery = (dagId: string, version: number) =>
  queryOptions({
    queryKey: ["dag", dagId, "grid", "version", version],
    queryFn: () =>
      read<DagRunList>(`${dagPath(dagId)}/dagRuns`, {
        dag_version: [String(version)],
        limit: 5,
        order_by: "-run_after",
      }),
  });

export const settingsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "settings"],
    queryFn: () => read<DagSettings>(`${ownDagPath(dagId)}/settings`),
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
      read<AuditPage>(`${ownDagPath(dagId)}/audit`, {
        older_than: pageParam,
        event: filters.event,
        by: filters.by,
        run_id: filters.run,
        from: filters.from,
        to: filters.to,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
  });
