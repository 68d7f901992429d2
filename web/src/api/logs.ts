/** The log of one try by ranges of lines. Nothing here is kept by the queries: a log may have a gigabyte. */

import { formatQuery, part, read } from "./client";
import type { InstancePlace } from "./queries";
import type { components } from "./schema";

export type LogLines = components["schemas"]["LogLinesAnswer"];
export type LogLine = LogLines["lines"][number];
export type LogGroup = LogLines["groups"][number];
export type LogMatches = components["schemas"]["LogMatchesAnswer"];
export type Level = "debug" | "info" | "warning" | "error" | "critical";

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
  return read<LogLines>(
    `${logPath(place)}/lines`,
    { ...where(place), first: query.first, count: query.count, at: query.at?.map(String), line_bytes: query.lineBytes },
    signal,
  );
}

export function searchLines(
  place: LogPlace,
  text: string,
  level: Level | undefined,
  first: number,
  signal?: AbortSignal,
): Promise<LogMatches> {
  return read<LogMatches>(`${logPath(place)}/search`, { ...where(place), text, level, first }, signal);
}

/** The address of the whole log as a text file. */
export function logFileAddress(place: LogPlace): string {
  return `${logPath(place)}/file${formatQuery(where(place))}`;
}

function where(place: LogPlace) {
  return { map_index: place.at.mapIndex, source: place.source };
}

function logPath({ at, tryNumber }: LogPlace): string {
  return `/api/gnomon/v1/dags/${part(at.dagId)}/dagRuns/${part(at.runId)}/taskInstances/${part(at.taskId)}/logs/${tryNumber}`;
}
