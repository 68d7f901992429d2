/** Failures by their cause: DAGs that failed with the same error stand together. */

import type { FailedDag } from "../../api/shapes";

export interface Cause {
  /** The error of the newest of them; empty: the server does not know it. */
  error: string;
  failures: FailedDag[];
}

/** The cause with the newest failure first; within a cause the newest failure first. */
export function groupByCause(failures: readonly FailedDag[]): Cause[] {
  const groups = new Map<string, Cause>();
  const newestFirst = failures.toSorted((a, b) => endOf(b).localeCompare(endOf(a)));
  for (const failure of newestFirst) {
    const error = errorOf(failure);
    const key = error ? normalize(error) : failure.dag_id;
    const known = groups.get(key);
    if (known) known.failures.push(failure);
    else groups.set(key, { error, failures: [failure] });
  }
  return [...groups.values()];
}

function errorOf(failure: FailedDag): string {
  const newest = failure.failures[0];
  return newest?.tasks[0]?.error ?? newest?.reason ?? "";
}

function endOf(failure: FailedDag): string {
  return failure.failures[0]?.ended_at ?? "";
}

/** Numbers, addresses and quoted names differ from run to run. */
function normalize(error: string): string {
  return error.replace(/0x[0-9a-f]+|\d+/gi, "#").replace(/'[^']*'|"[^"]*"/g, "…");
}
