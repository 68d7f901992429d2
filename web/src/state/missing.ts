/** What does not exist at the address at which the page was loaded: the server says it in the document, so that a view asks one question instead of all of its own. */

import type { QueryClient } from "@tanstack/react-query";
import { readMeta } from "./meta";

/** The DAG, or the DAG and the run. */
let missing: readonly string[] | undefined;

export function parseMissing(text: string): string[] {
  if (text === "") return [];
  const found: unknown = JSON.parse(text);
  return Array.isArray(found) ? found.map(String) : [];
}

/** Whether the server said that the DAG, or the run if one is given, does not exist. */
export function isNamed(said: readonly string[], dagId: string, runId?: string): boolean {
  return said.length > 0 && said[0] === dagId && (said[1] === undefined || said[1] === runId);
}

/** Whether the DAG, or the run, did not exist when the page was loaded, and no answer has it since. */
export function isKnownMissing(client: QueryClient, dagId: string, runId?: string): boolean {
  missing ??= parseMissing(readMeta("gnomon-missing"));
  if (!isNamed(missing, dagId, runId)) return false;
  return client.getQueryData(runId === undefined ? ["dag", dagId] : ["dag", dagId, "run", runId]) === undefined;
}
