/** The lines of a log. */

import type { TaskLog } from "../../api/shapes";

export interface LogLine {
  number: number;
  at: string | null;
  level: string;
  text: string;
}

/** The messages of an answer, one for each line. */
export function readLines(log: TaskLog): LogLine[] {
  const lines: LogLine[] = [];
  for (const one of log.content as (string | { timestamp?: string | null; event: string; level?: string })[]) {
    const message = typeof one === "string" ? { event: one, timestamp: null, level: "" } : one;
    for (const text of message.event.split("\n")) {
      lines.push({ number: lines.length + 1, at: message.timestamp ?? null, level: message.level ?? "", text });
    }
  }
  return lines;
}

export function findLines(lines: LogLine[], text: string): LogLine[] {
  const wanted = text.toLowerCase();
  return wanted ? lines.filter((line) => line.text.toLowerCase().includes(wanted)) : lines;
}
