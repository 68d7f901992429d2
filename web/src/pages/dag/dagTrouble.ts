/** Which sentences about a DAG are worth a line above every view: something waits, or is broken. */

import type { Explanation } from "../../api/shapes";

export type ToldSentence = Explanation["coded"][number];

/** What the header says in its own words, or what is as it should be. */
const QUIET: readonly string[] = [
  "runs_are_made_by_hand",
  "runs_are_made_by_assets",
  "no_runs_yet",
  "more_unfinished_runs",
  "timetable_has_no_further_run",
  "skipped_at",
];

export function isTrouble({ code, arguments: about }: ToldSentence): boolean {
  if (QUIET.includes(code)) return false;
  if (code === "next_run_is_due") return about.past !== null && about.past !== undefined;
  if (code === "no_backfill_run_starts")
    return (about.why as { code?: string } | null)?.code !== "backfill_limit_is_reached";
  if (code === "run_ended") return about.state !== "success";
  if (code === "run_is_unfinished_explain" || code === "run_is_unfinished")
    return about.state !== "running" && !isOfBackfill(about);
  return true;
}

/** A pause comes before all else: nothing runs, whatever else is said. */
export function isPaused({ code }: ToldSentence): boolean {
  return code.startsWith("dag_is_paused");
}

/** The runs of a backfill wait for one another. */
function isOfBackfill(about: ToldSentence["arguments"]): boolean {
  return String((about.run as { run_id?: unknown } | undefined)?.run_id).startsWith("backfill__");
}

/** Whether it is broken rather than waiting. */
export function isBroken({ code }: ToldSentence): boolean {
  return code === "run_ended" || /cannot|stopped|quarantine|deleted|error|no_run_is_planned/.test(code);
}

/** The run that the sentence is about. */
export function findRun({ arguments: about }: ToldSentence): { dagId: string; runId: string } | undefined {
  const run = about.run as { dag_id?: unknown; run_id?: unknown } | undefined;
  return typeof run?.dag_id === "string" && typeof run.run_id === "string"
    ? { dagId: run.dag_id, runId: run.run_id }
    : undefined;
}
