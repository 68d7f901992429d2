/** What each view reads first. The router asks for it with the code of the view, when the view is opened or the pointer rests on a link to it; nothing waits for it here. */

import type { QueryClient } from "@tanstack/react-query";
import { dayQuery, dependencyGraphQuery } from "../api/across";
import {
  columnQuery,
  gridPiecesQuery,
  newestRunsQuery,
  type RunFilters,
  runTimelineQuery,
  structureQuery,
} from "../api/dagViews";
import {
  dagOverviewsQuery,
  type DagSearch,
  runListQuery,
  type RunSearch,
  taskListQuery,
  type TaskSearch,
} from "../api/overviews";
import { calendarQuery, settingsQuery, versionsQuery } from "../api/plans";
import {
  dagExplanationQuery,
  dagQuery,
  instanceQuery,
  nextRunsQuery,
  runExplanationQuery,
  runQuery,
  taskExplanationQuery,
  triesQuery,
  workQuery,
} from "../api/queries";
import { runTasksQuery } from "../api/runs";
import { isKnownMissing } from "../state/missing";
import { readZone } from "../state/times";
import { zoneName } from "../state/zonedTimes";

export const readHome = (client: QueryClient) => void client.prefetchQuery(workQuery());
export const readDags = (client: QueryClient, search: DagSearch) =>
  void client.prefetchQuery(dagOverviewsQuery(search));
export const readRuns = (client: QueryClient, search: RunSearch) => void client.prefetchQuery(runListQuery(search));
export const readTasks = (client: QueryClient, search: TaskSearch) => void client.prefetchQuery(taskListQuery(search));

export function readDag(client: QueryClient, dagId: string): void {
  void client.prefetchQuery(dagQuery(dagId));
  if (!isKnownMissing(client, dagId)) void client.prefetchQuery(dagExplanationQuery(dagId));
}

export function readGrid(
  client: QueryClient,
  dagId: string,
  filters: RunFilters,
  runs: number,
  before: string | undefined,
): void {
  if (isKnownMissing(client, dagId)) return;
  void client.prefetchInfiniteQuery(gridPiecesQuery(dagId, filters, runs, before));
  void client.prefetchQuery(nextRunsQuery(dagId));
}

export async function readGraph(client: QueryClient, dagId: string, run: string | undefined): Promise<void> {
  if (isKnownMissing(client, dagId)) return;
  const newest = client.fetchQuery(newestRunsQuery(dagId));
  const runId = run ?? (await newest.catch(() => undefined))?.dag_runs[0]?.dag_run_id;
  void client.prefetchQuery(structureQuery(dagId, runId));
  if (runId !== undefined) void client.prefetchQuery(columnQuery(dagId, runId));
}

export function readCalendar(client: QueryClient, dagId: string, year: number | undefined): void {
  if (!isKnownMissing(client, dagId)) void client.prefetchQuery(calendarQuery(dagId, year, zoneName(readZone())));
}

export function readCode(client: QueryClient, dagId: string): void {
  if (!isKnownMissing(client, dagId)) void client.prefetchQuery(versionsQuery(dagId));
}

export function readDetails(client: QueryClient, dagId: string): void {
  if (!isKnownMissing(client, dagId)) void client.prefetchQuery(settingsQuery(dagId));
}

export function readRun(client: QueryClient, dagId: string, runId: string): void {
  void client.prefetchQuery(runQuery(dagId, runId));
  if (isKnownMissing(client, dagId, runId)) return;
  void client.prefetchQuery(dagQuery(dagId));
  void client.prefetchQuery(runExplanationQuery(dagId, runId));
}

export function readRunTasks(client: QueryClient, dagId: string, runId: string): void {
  if (isKnownMissing(client, dagId, runId)) return;
  void client.prefetchQuery(runTasksQuery(dagId, runId));
  readGantt(client, dagId, runId);
}

export function readGantt(client: QueryClient, dagId: string, runId: string): void {
  if (isKnownMissing(client, dagId, runId)) return;
  void client.prefetchQuery(structureQuery(dagId, runId));
  void client.prefetchQuery(runTimelineQuery(dagId, runId));
}

/** A mapped task itself has no instance: the page then reads the tasks of the run. */
export function readTask(
  client: QueryClient,
  dagId: string,
  runId: string,
  taskId: string,
  map: number | undefined,
): void {
  if (isKnownMissing(client, dagId, runId)) return void client.prefetchQuery(runQuery(dagId, runId));
  void client.prefetchQuery(dagQuery(dagId));
  const at = { dagId, runId, taskId, mapIndex: map ?? -1 };
  void client.prefetchQuery(instanceQuery(at));
  void client.prefetchQuery(taskExplanationQuery(at));
  if (map !== undefined) void client.prefetchQuery(triesQuery(at));
}

export function readDay(
  client: QueryClient,
  dagId: string | undefined,
  day: string | undefined,
  first: number | undefined,
): void {
  void client.prefetchQuery(dependencyGraphQuery());
  if (dagId !== undefined) void client.prefetchQuery(dayQuery(dagId, day, first ?? 0));
}
