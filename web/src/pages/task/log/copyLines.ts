/** Copies a range of lines of a log, as they are on the server and not only as far as they are in view. */

import { type LogPlace, RANGE_MAX, readLines } from "../../../api/logs";
import { stripAnsi } from "./ansi";
import type { LineSpan } from "./lineSpan";

const COPIED_MAX = 20_000;

/** Copy the lines below a line that says where they are from and the address that shows them. Returns the number of lines. */
export async function copyLines(place: LogPlace, span: LineSpan): Promise<number> {
  const texts: string[] = [];
  const end = Math.min(span.last + 1, span.first + COPIED_MAX);
  for (let first = span.first; first < end;) {
    const answer = await readLines(place, { first, count: Math.min(RANGE_MAX, end - first), lineBytes: 100_000 });
    if (answer.lines.length === 0) break;
    for (const line of answer.lines)
      texts.push([line.at, line.level?.toUpperCase(), stripAnsi(line.text)].filter(Boolean).join(" "));
    first += answer.lines.length;
  }
  await navigator.clipboard.writeText([...describePlace(place, span), ...texts, ""].join("\n"));
  return texts.length;
}

function describePlace({ at, tryNumber }: LogPlace, span: LineSpan): string[] {
  const task = at.mapIndex < 0 ? at.taskId : `${at.taskId}[${at.mapIndex}]`;
  const lines = span.first === span.last ? `${span.first + 1}` : `${span.first + 1}-${span.last + 1}`;
  return [`${at.dagId} / ${at.runId} / ${task} / ${tryNumber} : ${lines}`, window.location.href];
}
