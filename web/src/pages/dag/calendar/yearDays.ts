/** The days of a year as the calendar shows them. */

import type { YearCalendar } from "../../../api/shapes";

export type CalendarDay = YearCalendar["days"][number];

export interface Month {
  /** 0 for January. */
  number: number;
  /** Weeks of seven, from Monday on; null where the day belongs to another month. */
  weeks: (CalendarDay | null)[][];
}

export type DayKind = "runs" | "planned" | "none" | "unknown";

export function buildMonths(days: CalendarDay[]): Month[] {
  const months: Month[] = Array.from({ length: 12 }, (_, number) => ({ number, weeks: [] }));
  for (const day of days) {
    const month = months[Number(day.day.slice(5, 7)) - 1] as Month;
    const weekday = (new Date(`${day.day}T00:00:00Z`).getUTCDay() + 6) % 7;
    if (month.weeks.length === 0 || weekday === 0) month.weeks.push(Array.from({ length: 7 }, () => null));
    (month.weeks.at(-1) as (CalendarDay | null)[])[weekday] = day;
  }
  return months;
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
  success: "var(--success)",
  failed: "var(--failed)",
  running: "var(--running)",
  queued: "var(--waiting)",
};

/** The states of a day, the most urgent first. */
export function listStates(day: CalendarDay): [string, number][] {
  return Object.entries(day.runs).sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]));
}

/** The states of a day as parts of its background; each has at least a tenth, so that one failure of a thousand runs is seen. */
export function paintDay(day: CalendarDay): string | undefined {
  const states = listStates(day);
  const total = countRuns(day);
  if (total === 0) return undefined;
  const shares = states.map(([, count]) => Math.max(0.1, count / total));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let at = 0;
  const parts = states.map(([state], index) => {
    const from = at;
    at += ((shares[index] ?? 0) / whole) * 100;
    return `${COLOURS[state] ?? "var(--idle)"} ${from.toFixed(1)}% ${at.toFixed(1)}%`;
  });
  return `linear-gradient(to top, ${parts.join(", ")})`;
}

/** The day after an arrow key; undefined for another key, and at the ends of the year. */
export function moveDay(days: CalendarDay[], from: string, key: string): string | undefined {
  const at = days.findIndex((day) => day.day === from);
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -7,
    ArrowDown: 7,
    PageUp: -30,
    PageDown: 30,
  };
  if (key === "Home") return days[0]?.day;
  if (key === "End") return days.at(-1)?.day;
  return key in steps ? days[at + (steps[key] ?? 0)]?.day : undefined;
}
