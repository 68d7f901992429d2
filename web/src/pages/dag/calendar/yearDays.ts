/** The days of a year as the calendar shows them. */

import type { YearCalendar } from "../../../api/shapes";

export type CalendarDay = YearCalendar["days"][number];

/** Seven days, from Monday on; null where the day belongs to another year or month. */
export type Week = (CalendarDay | null)[];

export type DayKind = "runs" | "planned" | "none" | "unknown";

/** The weeks of days that follow one another. */
export function buildWeeks(days: readonly CalendarDay[]): Week[] {
  const weeks: Week[] = [];
  for (const day of days) {
    const weekday = (new Date(`${day.day}T00:00:00Z`).getUTCDay() + 6) % 7;
    if (weeks.length === 0 || weekday === 0) weeks.push(Array.from({ length: 7 }, () => null));
    (weeks.at(-1) as Week)[weekday] = day;
  }
  return weeks;
}

/** The months of a year of weeks: where each begins, and of how many weeks it is the first. */
export function listMonths(weeks: readonly Week[]): { month: string; from: number; count: number }[] {
  const starts = weeks.flatMap((week, from) => {
    const first = week.find((day) => day?.day.endsWith("-01"));
    return first ? [{ month: first.day.slice(0, 7), from }] : [];
  });
  return starts.map((one, at) => ({ ...one, count: (starts[at + 1]?.from ?? weeks.length) - one.from }));
}

function nameOf(at: number, options: Intl.DateTimeFormatOptions): string {
  const language = document.documentElement.lang || "en";
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { ...options, timeZone: "UTC" }).format(at);
}

/** `Mo` to `Su`, in the language of the page. */
export function nameWeekdays(): string[] {
  return Array.from({ length: 7 }, (_, day) => nameOf(Date.UTC(2024, 0, 1 + day), { weekday: "short" }));
}

/** `Nov`, or `November 2026` of `2026-11`. */
export function nameMonth(month: string, isLong = false): string {
  return nameOf(Date.parse(`${month}-01T00:00:00Z`), isLong ? { month: "long", year: "numeric" } : { month: "short" });
}

/** `Sunday 29 November` */
export function nameDate(day: string): string {
  return nameOf(Date.parse(`${day}T00:00:00Z`), { weekday: "long", day: "numeric", month: "long" });
}

/** The month before or after. */
export function addMonths(month: string, count: number): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** Of each reason the first day that has it and no run. */
export function findFirstOfReasons(days: readonly CalendarDay[]): string[] {
  const said = new Set<number>();
  return days.flatMap((day) => {
    if (day.reason === null || countRuns(day) > 0 || said.has(day.reason)) return [];
    said.add(day.reason);
    return [day.day];
  });
}

const OUTSIDE_DAYS = 14;

/** The days at the beginning and at the end of the year that lack runs for one reason for two weeks or more: those before the start date, after the end date. */
export function findOutside(days: readonly CalendarDay[]): ReadonlySet<string> {
  const outside = new Set<string>();
  for (const side of [days, days.toReversed()]) {
    const reason = side[0]?.reason ?? null;
    if (reason === null) continue;
    const until = side.findIndex((day) => day.reason !== reason || countRuns(day) > 0);
    const same = until < 0 ? side : side.slice(0, until);
    if (same.length >= OUTSIDE_DAYS) for (const day of same) outside.add(day.day);
  }
  return outside;
}

/** What a day shows: its runs, runs that come, nothing, or that it is not known. */
export function kindOf(day: CalendarDay, today: string): DayKind {
  if (Object.keys(day.runs).length > 0) return "runs";
  if (day.slots === null) return day.reason === null && day.day >= today ? "unknown" : "none";
  return day.day >= today && day.slots > 0 ? "planned" : "none";
}

export function countRuns(day: CalendarDay): number {
  return Object.values(day.runs).reduce((sum, count) => sum + count, 0);
}

const ORDER = ["failed", "running", "queued", "success"];
const COLOURS: Record<string, string> = {
  success: "var(--success-solid)",
  failed: "var(--failed-solid)",
  running: "var(--running-solid)",
  queued: "var(--waiting-solid)",
};
/** The least and the most of the colour of a day of successes. */
const PALEST = 45;

/** The states of a day, the most urgent first. */
export function listStates(day: CalendarDay): [string, number][] {
  return Object.entries(day.runs).sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]));
}

/** The states of a day as parts of its background; each has at least a fifth, so that one failure of a thousand runs is seen. The more runs of `most`, the stronger is the colour of a success. */
export function paintDay(day: CalendarDay, most: number): string | undefined {
  const states = listStates(day);
  const total = countRuns(day);
  if (total === 0) return undefined;
  const shares = states.map(([, count]) => Math.max(0.2, count / total));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let at = 0;
  const parts = states.map(([state], index) => {
    const from = at;
    at += ((shares[index] ?? 0) / whole) * 100;
    const colour = COLOURS[state] ?? "var(--idle-solid)";
    const strength = Math.round(PALEST + (100 - PALEST) * (total / Math.max(1, most)));
    const shown = state === "success" ? `color-mix(in srgb, ${colour} ${strength}%, var(--paper))` : colour;
    return `${shown} ${from.toFixed(1)}% ${at.toFixed(1)}%`;
  });
  return `linear-gradient(to top, ${parts.join(", ")})`;
}

/** The day after an arrow key; undefined for another key, and at the ends of the year. */
export function moveDay(days: CalendarDay[], from: string, key: string): string | undefined {
  const at = days.findIndex((day) => day.day === from);
  const steps: Record<string, number> = {
    ArrowLeft: -7,
    ArrowRight: 7,
    ArrowUp: -1,
    ArrowDown: 1,
    PageUp: -30,
    PageDown: 30,
  };
  if (key === "Home") return days[0]?.day;
  if (key === "End") return days.at(-1)?.day;
  return key in steps ? days[at + (steps[key] ?? 0)]?.day : undefined;
}
