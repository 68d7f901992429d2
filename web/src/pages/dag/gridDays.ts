/** The days above the columns of the grid, and the lines between them. */

import { formatTime, type Zone } from "../../state/times";

export interface DayLabel {
  /** The first column, and how many columns the label has for itself. */
  from: number;
  count: number;
  /** An instant of the day. */
  at: string;
}

/** So many columns a label needs. */
const LABEL_COLUMNS = 2;

/** The first column of each day; `0` comes first. */
export function listDayStarts(instants: readonly string[], zone: Zone): number[] {
  let before = "";
  const starts: number[] = [];
  instants.forEach((at, column) => {
    const day = formatTime(at, zone).slice(0, 10);
    if (day !== before) starts.push(column);
    before = day;
  });
  return starts;
}

/** The labels that fit: a day without room for its own is left to the one before it. */
export function listDayLabels(instants: readonly string[], starts: readonly number[]): DayLabel[] {
  const shown: number[] = [];
  for (const start of starts) {
    const last = shown.at(-1);
    if (last === undefined || start - last >= LABEL_COLUMNS) shown.push(start);
  }
  return shown.map((from, at) => ({
    from,
    count: (shown[at + 1] ?? instants.length) - from,
    at: instants[from] as string,
  }));
}

/** The columns before which a line stands: those that begin a day; where nearly each does, those that begin a week. */
export function listLines(instants: readonly string[], starts: readonly number[], zone: Zone): number[] {
  if (starts.length * 2 <= instants.length) return starts.filter((column) => column > 0);
  let before = "";
  return starts.filter((column) => {
    const week = findWeek(formatTime(instants[column], zone).slice(0, 10));
    const begins = before !== "" && week !== before;
    before = week;
    return begins;
  });
}

/** The Monday of the week of a day. */
function findWeek(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return day;
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  return at.toISOString().slice(0, 10);
}
