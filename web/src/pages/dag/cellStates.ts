/** The states of task instances that a cell or a node stands for, as counts. */

import type { Grid, GridCell } from "../../api/shapes";
import { stateName } from "../../components/StateBadge";
import { formatCount } from "../../state/numbers";

/** (state, count), the most urgent first. */
export type StateCounts = [string | null, number][];

/** The most urgent state of several instances is shown first. */
const URGENCY = [
  "failed",
  "upstream_failed",
  "up_for_retry",
  "running",
  "restarting",
  "awaiting_input",
  "deferred",
  "queued",
  "scheduled",
  "up_for_reschedule",
  null,
  "success",
  "skipped",
  "removed",
];
const RANK = new Map(URGENCY.map((state, at) => [state, at]));
export const FAILED_STATES: ReadonlySet<string | null> = new Set(["failed", "upstream_failed"]);
export const ENDED_STATES: ReadonlySet<string | null> = new Set([
  "success",
  "failed",
  "upstream_failed",
  "skipped",
  "removed",
]);

/** The states of a cell; empty without an instance. */
export function readCell(states: Grid["states"], cell: GridCell | undefined): StateCounts {
  if (cell === null || cell === undefined) return [];
  if (typeof cell === "number") return [[states[cell] ?? null, 1]];
  return sortByUrgency(
    (cell as [number, number][]).map(([index, count]): [string | null, number] => [states[index] ?? null, count]),
  );
}

/** The sum of several. */
export function addCounts(parts: Iterable<StateCounts>): StateCounts {
  const sums = new Map<string | null, number>();
  for (const part of parts) for (const [state, count] of part) sums.set(state, (sums.get(state) ?? 0) + count);
  return sortByUrgency([...sums]);
}

/** "3 failed, 12 success"; the name of the state alone for one instance. */
export function describeCounts(counts: StateCounts): string {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts
    .map(([state, count]) => (total > 1 ? `${formatCount(count)} ${stateName(state)}` : stateName(state)))
    .join(", ");
}

function sortByUrgency(counts: StateCounts): StateCounts {
  return counts.length < 2 ? counts : counts.toSorted((a, b) => (RANK.get(a[0]) ?? 99) - (RANK.get(b[0]) ?? 99));
}
