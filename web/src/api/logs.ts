/** The log of one try by ranges of lines. Nothing here is kept by the queries: a log may have a gigabyte. */

import { type InstancePlace, placeOfTask } from "./places";
import { addressOf, get } from "./client";
import type { components } from "./schema";

export type LogLines = components["schemas"]["LogLinesAnswer"];
export type LogLine = LogLines["lines"][number];
export type LogGroup = LogLines["groups"][number];
export type LogMatches = components["schemas"]["LogMatchesAnswer"];
export type Level = "debug" | "info" | "warning" | "error" | "critical";

const LOGS = "/api/gnomon/v1/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs/{try_number}";
export const LINE_BYTES_MAX = 1_000_000;
/** The most single lines, and the most lines of a range, that one request may ask for. */
export const SEVERAL_MAX = 200;
export const RANGE_MAX = 1_000;

export interface LogPlace {
  at: InstancePlace;
  tryNumber: number;
  /** The number of a file of the log; undefined: all of them. */
  source: number | undefined;
}

export interface LineQuery {
  first?: number;
  count?: number;
  at?: number[];
  lineBytes?: number;
}

export function readLines(place: LogPlace, query: LineQuery, signal?: AbortSignal): Promise<LogLines> {
  return get(`${LOGS}/lines`, {
    path: pathOf(place),
    query: { ...where(place), first: query.first, count: query.count, at: query.at, line_bytes: query.lineBytes },
    signal,
  });
}

export function searchLines(
  place: LogPlace,
  text: string,
  level: Level | undefined,
  first: number,
  signal?: AbortSignal,
): Promise<LogMatches> {
  return get(`${LOGS}/search`, { path: pathOf(place), query: { ...where(place), text, level, first }, signal });
}

/** The address of the whole log as a text file. */
export function logFileAddress(place: LogPlace): string {
  return addressOf(`${LOGS}/file`, { path: pathOf(place), query: where(place) });
}

function where(place: LogPlace) {
  return { map_index: place.at.mapIndex, source: place.source };
}

function pathOf({ at, tryNumber }: LogPlace) {
  return { ...placeOfTask(at), try_number: tryNumber };
}
