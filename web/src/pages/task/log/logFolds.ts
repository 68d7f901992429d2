/** Which lines of a log are shown: all but those in folded groups, or those that a filter has found. */

import type { LogGroup } from "../../../api/logs";

/** The shown lines by their places, from 0. */
export interface LineView {
  count: number;
  lineAt: (place: number) => number;
  /** The place of a line; of a hidden one that of the shown line before it. */
  placeOf: (line: number) => number;
}

/** The first lines of the groups that are folded: those that have ended, but for the ones around the line that was asked for; and as the user has chosen. */
export function chooseFolded(
  groups: readonly LogGroup[],
  chosen: ReadonlyMap<number, boolean>,
  opened: number | undefined,
): ReadonlySet<number> {
  const folded = new Set<number>();
  for (const group of groups) {
    const holdsLine = opened !== undefined && holds(group, opened);
    if (chosen.get(group.first) ?? (group.last !== null && !holdsLine)) folded.add(group.first);
  }
  return folded;
}

/** The groups around a line, by their first lines. */
export function listGroupsOf(groups: readonly LogGroup[], line: number): number[] {
  return groups.filter((group) => holds(group, line)).map((group) => group.first);
}

function holds(group: LogGroup, line: number): boolean {
  return line > group.first && line <= (group.last ?? Infinity);
}

/** All lines but those behind the first of each folded group. */
export function foldLines(total: number, groups: readonly LogGroup[], folded: ReadonlySet<number>): LineView {
  const spans = hiddenSpans(total, groups, folded);
  if (spans.length === 0)
    return { count: total, lineAt: (place) => place, placeOf: (line) => Math.max(0, Math.min(line, total - 1)) };
  const hiddenBefore: number[] = [];
  let hidden = 0;
  for (const span of spans) {
    hiddenBefore.push(hidden);
    hidden += span.end - span.start;
  }
  const lineAt = (place: number) => {
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle] as Span).start - (hiddenBefore[middle] as number) <= place) low = middle + 1;
      else high = middle;
    }
    const span = spans[low - 1];
    return span === undefined ? place : place + (hiddenBefore[low - 1] as number) + span.end - span.start;
  };
  const placeOf = (line: number) => {
    let before = 0;
    for (const span of spans) {
      if (line < span.start) break;
      before += Math.min(line + 1, span.end) - span.start;
    }
    return Math.max(0, line - before);
  };
  return { count: total - hidden, lineAt, placeOf };
}

/** The last lines of a log that is not counted: the number of the last one is -1. */
export function showTail(count: number): LineView {
  return { count, lineAt: (place) => place - count, placeOf: (line) => Math.max(0, Math.min(line + count, count - 1)) };
}

/** Only these lines, in ascending order. */
export function chooseLines(numbers: readonly number[]): LineView {
  const placeOf = (line: number) => {
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] as number) <= line) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };
  return { count: numbers.length, lineAt: (place) => numbers[place] ?? 0, placeOf };
}

interface Span {
  start: number;
  end: number;
}

/** The hidden lines, ascending and apart: the first line of a group stays, its last one does not. */
function hiddenSpans(total: number, groups: readonly LogGroup[], folded: ReadonlySet<number>): Span[] {
  const spans: Span[] = [];
  for (const group of groups) {
    if (!folded.has(group.first)) continue;
    const span = { start: group.first + 1, end: Math.min((group.last ?? total - 1) + 1, total) };
    const last = spans[spans.length - 1];
    if (span.start >= span.end || (last !== undefined && span.start < last.end)) continue;
    spans.push(span);
  }
  return spans;
}
