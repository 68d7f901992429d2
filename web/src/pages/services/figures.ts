/** The figures of a process that the page shows, of those that /metrics has. */

import { formatDuration } from "../../state/times";
import { formatCount } from "../../state/numbers";

export type Unit = "bytes" | "seconds" | "count";

export const FIGURES: [name: string, label: string, unit: Unit][] = [
  ["gnomon_process_resident_memory_bytes", /* text */ "memory", "bytes"],
  ["gnomon_process_cpu_seconds_total", /* text */ "processor time", "seconds"],
  ["gnomon_scheduler_unfinished_runs", /* text */ "unfinished runs", "count"],
  ["gnomon_scheduler_live_attempts", /* text */ "tasks with workers", "count"],
  ["gnomon_scheduler_commits_total", /* text */ "commits", "count"],
  ["gnomon_scheduler_refused_commits_total", /* text */ "refused commits", "count"],
  ["gnomon_worker_attempts", /* text */ "slots in use", "count"],
  ["gnomon_worker_task_processes", /* text */ "task processes", "count"],
  ["gnomon_worker_unacknowledged_results", /* text */ "results that are not stored yet", "count"],
  ["gnomon_dag_files", /* text */ "DAG files", "count"],
  ["gnomon_dag_file_parse_failures_total", /* text */ "failed parses", "count"],
  ["gnomon_triggers_succeeded_total", /* text */ "events of triggers", "count"],
  ["gnomon_triggers_failed_total", /* text */ "failed triggers", "count"],
  ["gnomon_triggers_blocked_loop_total", /* text */ "blocks of the event loop", "count"],
];

const MIB = 2 ** 20;

export function formatFigure(value: number, unit: Unit): string {
  if (unit === "bytes") return `${formatCount(Math.round(value / MIB))} MiB`;
  return unit === "seconds" ? formatDuration(value) : formatCount(value);
}

/** The parts of a sentence; those in back quotes are code. */
export function splitCode(text: string): { text: string; isCode: boolean }[] {
  return text
    .split("`")
    .map((one, at) => ({ text: one, isCode: at % 2 === 1 }))
    .filter((one) => one.text !== "");
}
