/** What a backfill would do, in words: "5 will run, 7 have succeeded already and stay". */

import type { BackfillPreview } from "../../../api/shapes";
import { tn } from "../../../state/language";

/** One part for each fate of the slots; [] if the range has none. */
export function describePreview({ counts, slots }: BackfillPreview): string[] {
  const parts: string[] = [];
  const add = (count: number, say: (count: number) => string) => {
    if (count > 0) parts.push(say(count));
  };
  add(counts.create ?? 0, (count) => tn("{count} will run", "{count} will run", count));
  add(counts["run again"] ?? 0, (count) => tn("{count} will run again", "{count} will run again", count));
  const left = slots.filter((slot) => slot.effect === "leave");
  const total = counts.leave ?? 0;
  // Not all slots of a long range are listed: the states of the others are not known.
  if (left.length < total) {
    add(total, (count) => tn("{count} has a run already and stays", "{count} have a run already and stay", count));
    return parts;
  }
  const countIn = (state: string) => left.filter((slot) => slot.state === state).length;
  const [succeeded, failed] = [countIn("success"), countIn("failed")];
  add(succeeded, (count) =>
    tn("{count} has succeeded already and stays", "{count} have succeeded already and stay", count),
  );
  add(failed, (count) => tn("{count} has failed and stays", "{count} have failed and stay", count));
  add(total - succeeded - failed, (count) => tn("{count} stays as it is", "{count} stay as they are", count));
  return parts;
}

/** Whether the backfill would make or repeat a run. */
export function doesSomething({ counts, has_more }: BackfillPreview): boolean {
  return has_more || (counts.create ?? 0) + (counts["run again"] ?? 0) > 0;
}
