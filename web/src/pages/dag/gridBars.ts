/** How high the bars of the runs are: as long as the run took, cut where a few are much longer than all others. */

import type { Grid } from "../../api/shapes";

/** Longer than the cap by this factor is cut; a little longer is not. */
const MUCH_LONGER = 1.5;

/** How long each run took or has taken until `now`, in milliseconds; 0 for one that has not started. */
export function listLengths(runs: Grid["runs"], now: number): number[] {
  return runs.map((run) =>
    run.start_date === null
      ? 0
      : Math.max(0, (run.end_date === null ? now : Date.parse(run.end_date)) - Date.parse(run.start_date)),
  );
}

/** The length of a bar of full height: of 95 of 100 runs, or of all where none is much longer than these. */
export function findCap(lengths: readonly number[]): number {
  const sorted = lengths.filter((length) => length > 0).toSorted((a, b) => a - b);
  const longest = sorted.at(-1) ?? 0;
  const cap = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
  return longest > cap * MUCH_LONGER ? cap : longest;
}

/** The columns whose run uses another version than the run before it. */
export function listVersionChanges(runs: Grid["runs"]): number[] {
  return runs.flatMap((run, at) => {
    const before = runs[at - 1]?.version;
    return run.version !== null && before !== null && before !== undefined && run.version !== before ? [at] : [];
  });
}
