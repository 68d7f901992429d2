/** What the page reads about things that belong to several DAGs: dependencies, schedules, assets, backfills. */

import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { get, post, put, type Sendable } from "./client";
import { dagExplanationQuery, PAGE_SIZE, toPattern } from "./queries";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type DayDependencies = Schemas["DayDependenciesAnswer"];
export type DependencyGraph = Schemas["DependencyGraphAnswer"];
export type SlotRuns = Schemas["SlotRunsAnswer"];
export type GraphNodes = Omit<Schemas["GraphNodesAnswer"], "alias_edges"> & { alias_edges: [number, number][] };
export type Schedule = Sendable<Schemas["ScheduleBody"]>;
export type Preview = Schemas["PreviewAnswer"];
export type Slot = Schemas["SlotAnswer"];
export type DayCounts = Schemas["DayCountsAnswer"];
export type Difference = Schemas["DifferenceAnswer"];
export type Choices = Schemas["ScheduleChoicesAnswer"];
export type Asset = Schemas["AssetResponse"];
export type AssetEvent = Schemas["AssetEventResponse"];
export type QueuedEvents = Schemas["QueuedEventCollectionResponse"];
export type Watchers = Schemas["WatchersAnswer"];
export type Backfills = Schemas["BackfillsAnswer"];
export type Backfill = Schemas["BackfillAnswer"];

export const EVENTS_PAGE = 20;

export const dependencyGraphQuery = () =>
  queryOptions({
    queryKey: ["dependencies", "graph"],
    queryFn: () => get("/api/gnomon/v1/dependencies/graph"),
  });

export const graphNodesQuery = () =>
  queryOptions({
    queryKey: ["dependencies", "nodes"],
    queryFn: async () => (await get("/api/gnomon/v1/dependencies/nodes")) as GraphNodes,
  });

export const newestRunsQuery = () =>
  queryOptions({ queryKey: ["runs", "newest"], queryFn: () => get("/api/gnomon/v1/dependencies/newestRuns") });

/** When each asset got its newest event: read again with each event of an asset. */
export const newestEventsQuery = () =>
  queryOptions({ queryKey: ["assets", "newest"], queryFn: () => get("/api/gnomon/v1/dependencies/newestEvents") });

/** The lines of a day; without a day those of today. They come from the timetables, so that only a new version of a DAG changes them. */
export const dayQuery = (dagId: string, day: string | undefined, first = 0) =>
  queryOptions({
    queryKey: ["dependencies", "day", dagId, day ?? "today", first],
    queryFn: () => get("/api/gnomon/v1/dependencies/day", { query: { dag_id: dagId, day, first: first || undefined } }),
    staleTime: 300_000,
  });

export const slotRunsQuery = (dagIds: string[], from: string, to: string) =>
  queryOptions({
    queryKey: ["runs", "slots", dagIds, from, to],
    queryFn: () => get("/api/gnomon/v1/dependencies/slotRuns", { query: { dag_id: dagIds, from, to } }),
    placeholderData: keepPreviousData,
    enabled: dagIds.length > 0,
  });

export const choicesQuery = () =>
  queryOptions({
    queryKey: ["timetables", "choices"],
    queryFn: () => get("/api/gnomon/v1/timetables/choices"),
    staleTime: 300_000,
  });

/** A schedule that is wrong is an answer for the user, so it is not asked again. */
const ANSWERED = { retry: false, placeholderData: keepPreviousData, staleTime: 60_000 } as const;

export const previewQuery = (
  schedule: Schedule | undefined,
  from: string | undefined,
  to: string | undefined,
  limit: number,
) =>
  queryOptions({
    queryKey: ["timetables", "preview", schedule, from, to, limit],
    enabled: schedule !== undefined,
    ...ANSWERED,
    queryFn: () => post("/api/gnomon/v1/timetables/preview", { body: { schedule, from, to, limit } }),
  });

export const dayCountsQuery = (schedule: Schedule | undefined, from: string, to: string) =>
  queryOptions({
    queryKey: ["timetables", "days", schedule, from, to],
    enabled: schedule !== undefined,
    ...ANSWERED,
    queryFn: () => post("/api/gnomon/v1/timetables/days", { body: { schedule, from, to } }),
  });

export const differenceQuery = (before: Schedule | undefined, after: Schedule | undefined, from: string, to: string) =>
  queryOptions({
    queryKey: ["timetables", "diff", before, after, from, to],
    enabled: before !== undefined && after !== undefined,
    ...ANSWERED,
    queryFn: () => post("/api/gnomon/v1/timetables/diff", { body: { before, after, from, to } }),
  });

export interface AssetFilters {
  search?: string;
  page?: number;
}

export const assetsQuery = (filters: AssetFilters) =>
  queryOptions({
    queryKey: ["assets", "list", filters],
    queryFn: () =>
      get("/api/v2/assets", {
        query: {
          limit: PAGE_SIZE,
          offset: ((filters.page ?? 1) - 1) * PAGE_SIZE,
          name_pattern: toPattern(filters.search),
          order_by: "name",
        },
      }),
    placeholderData: keepPreviousData,
  });

export const assetQuery = (id: string) =>
  queryOptions({
    queryKey: ["assets", id],
    queryFn: () => get("/api/v2/assets/{asset_id}", { path: { asset_id: Number(id) } }),
  });

export const assetEventsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["assets", id, "events", page],
    queryFn: () =>
      get("/api/v2/assets/events", {
        query: {
          asset_id: Number(id),
          order_by: "-timestamp",
          limit: EVENTS_PAGE,
          offset: (page - 1) * EVENTS_PAGE,
        },
      }),
    placeholderData: keepPreviousData,
  });

export const queuedEventsQuery = (id: string) =>
  queryOptions({
    queryKey: ["assets", id, "queue"],
    queryFn: () => get("/api/v2/assets/{asset_id}/queuedEvents", { path: { asset_id: Number(id) } }),
  });

/** Why a DAG that an asset schedules has no run: read again with each event of an asset. */
export const consumerExplanationQuery = (dagId: string) =>
  queryOptions({ ...dagExplanationQuery(dagId), queryKey: ["assets", "why", dagId] as string[] });

export const watchersQuery = (id: string) =>
  queryOptions({
    queryKey: ["assets", id, "watchers"],
    queryFn: () => get("/api/gnomon/v1/assets/{asset_id}/watchers", { path: { asset_id: Number(id) } }),
  });

export function useAddEvent(assetId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (event: { extra: Record<string, unknown>; partition_key: string | null }) =>
      post("/api/v2/assets/events", { body: { asset_id: assetId, ...event } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["assets"] }),
  });
}

export function useMaterialize(assetId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post("/api/v2/assets/{asset_id}/materialize", { path: { asset_id: assetId }, body: {} }),
    onSuccess: (run) => client.invalidateQueries({ queryKey: ["dag", run.dag_id] }),
  });
}

export interface BackfillFilters {
  dag?: string;
  state?: Backfill["state"];
  page?: number;
}

export const backfillsQuery = (filters: BackfillFilters) =>
  queryOptions({
    queryKey: ["backfills", filters],
    queryFn: () =>
      get("/api/gnomon/v1/backfills", {
        query: {
          dag_id: filters.dag,
          state: filters.state,
          limit: PAGE_SIZE,
          offset: ((filters.page ?? 1) - 1) * PAGE_SIZE,
        },
      }),
    placeholderData: keepPreviousData,
  });

export function useChangeBackfill(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (act: "pause" | "unpause" | "cancel") =>
      put(`/api/v2/backfills/{backfill_id}/${act}`, { path: { backfill_id: id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["backfills"] }),
  });
}
