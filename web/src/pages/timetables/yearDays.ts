/** The days of a year of a schedule: how many slots, why none, what a comparison changes. No drawing. */

import type { DayCounts, Difference } from "../../api/across";
import { ZoneClock } from "../../state/days";
import { addDays } from "../../state/zonedTimes";

export interface YearDay {
  day: string;
  slots: number;
  /** Why the calendar prevents its slots. */
  skipped?: string;
  /** By how much the clocks are put forward on this day, such as `+01:00`. */
  clockChange?: string;
  /** False: the server has not counted so far. */
  isKnown: boolean;
  change?: DayChange;
}

export interface DayChange {
  gained: number;
  lost: number;
  moved: number;
  redefined: number;
}

export interface YearMonth {
  month: string;
  /** Days of the week before the first, Monday first. */
  blanks: number;
  days: YearDay[];
}

/** All days from `from` to before `to`. */
export function listYearDays(
  counts: DayCounts,
  difference: Difference | undefined,
  from: string,
  to: string,
): YearDay[] {
  const clock = new ZoneClock(counts.timezone);
  const slots = new Map(counts.days.map((one) => [one.day, one.slots]));
  const skipped = new Map(counts.skipped.map((one) => [one.day, one.reason]));
  const changes = new Map(counts.clock_changes.map((one) => [clock.day(Date.parse(one.at)), one.change]));
  const known = Date.parse(counts.known_until);
  const knownDay = counts.stop_reason === null ? to : clock.day(known);
  const changed = difference ? countChanges(difference, clock) : undefined;
  const days: YearDay[] = [];
  for (let day = from; day < to; day = addDays(day, 1)) {
    const count = slots.get(day) ?? 0;
    days.push({
      day,
      slots: count,
      skipped: count === 0 ? skipped.get(day) : undefined,
      clockChange: changes.get(day),
      isKnown: day < knownDay || count > 0,
      change: changed?.get(day),
    });
  }
  return days;
}

function countChanges(difference: Difference, clock: ZoneClock): Map<string, DayChange> {
  const found = new Map<string, DayChange>();
  const add = (at: string, kind: keyof DayChange) => {
    const day = clock.day(Date.parse(at));
    const change = found.get(day) ?? { gained: 0, lost: 0, moved: 0, redefined: 0 };
    change[kind] += 1;
    found.set(day, change);
  };
  for (const slot of difference.gained) add(slot.run_after, "gained");
  for (const slot of difference.lost) add(slot.run_after, "lost");
  for (const pair of difference.moved) add(pair.before.run_after, "moved");
  for (const pair of difference.redefined) add(pair.before.run_after, "redefined");
  return found;
}

export function groupMonths(days: YearDay[]): YearMonth[] {
  const months: YearMonth[] = [];
  for (const day of days) {
    const month = day.day.slice(0, 7);
    let last = months[months.length - 1];
    if (last?.month !== month) {
      last = { month, blanks: (new Date(`${day.day}T00:00:00Z`).getUTCDay() + 6) % 7, days: [] };
      months.push(last);
    }
    last.days.push(day);
  }
  return months;
}

/** How full a day is, for its colour: 0 to 4. */
export function rankSlots(slots: number): number {
  return slots === 0 ? 0 : slots === 1 ? 1 : slots <= 4 ? 2 : slots <= 24 ? 3 : 4;
}

/** The first day of the month of a date, and the day a year after it. */
export function findYear(from: string | undefined, now: Date): { from: string; to: string } {
  const first = from ?? `${now.toISOString().slice(0, 7)}-01`;
  return {
    from: first,
    to: `${String(Number(first.slice(0, 4)) + 1).padStart(4, "0")}${first.slice(4) === "-02-29" ? "-03-01" : first.slice(4)}`,
  };
}

/** `+2`, `−1`, `~1`, or `±` for several kinds of changes. */
export function formatChange(change: DayChange): string {
  const parts = [
    change.gained && `+${change.gained}`,
    change.lost && `−${change.lost}`,
    change.moved && `~${change.moved}`,
    change.redefined && `=${change.redefined}`,
  ].filter(Boolean);
  return parts.length === 1 ? String(parts[0]) : "±";
}
