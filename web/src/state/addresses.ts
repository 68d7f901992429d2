/** Addresses as texts, where a link of the router would cost too much. */

import { defaultStringifySearch } from "@tanstack/react-router";
import { part } from "../api/client";

export function runHref(dagId: string, runId: string): string {
  return `/dags/${part(dagId)}/runs/${part(runId)}`;
}

export function taskHref(dagId: string, runId: string, taskId: string): string {
  return `${runHref(dagId, runId)}/tasks/${part(taskId)}`;
}

/** The address of a list with these filters, as the router writes it. */
export function listHref(path: string, search: object): string {
  return path + defaultStringifySearch(search as Record<string, unknown>);
}
