/** What the home page shows, as it is in its address; and when this browser was here before. */

import { GROUPINGS, type Grouping } from "../../api/overviews";
import { oneOf, readerOf, type Search, text } from "../../state/searchValues";

export const WINDOWS = ["24h", "7d", "visit"] as const;
export type Window = (typeof WINDOWS)[number];

export interface HomeView {
  /** How far back failures are shown; without it 24 hours. */
  window?: Window;
  group?: Grouping;
  within?: Grouping;
  value?: string;
  seen?: "shown";
}

const read = readerOf<HomeView>({
  window: oneOf(WINDOWS.slice(1)),
  group: oneOf(GROUPINGS.slice(1)),
  within: oneOf(GROUPINGS.filter((one) => one !== "pool")),
  value: text,
  seen: oneOf(["shown"]),
});

/** A group and its value stand together. */
export function readHomeSearch(search: Search): HomeView {
  const { within, value, ...view } = read(search);
  return within === undefined || value === undefined ? view : { ...view, within, value };
}

const VISIT = "gnomon.visit";
const VISITED_BEFORE = "gnomon.visited-before";
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Since when failures are shown: to the minute, so that the same answer serves for a while. */
export function findSince(window: Window | undefined, now: number, before: number | undefined): string {
  const span = window === "7d" ? 7 * 24 * HOUR_MS : 24 * HOUR_MS;
  const since = window === "visit" && before !== undefined ? before : now - span;
  return new Date(Math.floor(since / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** The end of the visit before this one, kept in this browser; undefined at the first visit. A tab keeps what it found when it was opened. */
export function readVisitBefore(): number | undefined {
  let before = sessionStorage.getItem(VISITED_BEFORE);
  if (before === null) {
    before = localStorage.getItem(VISIT) ?? "";
    sessionStorage.setItem(VISITED_BEFORE, before);
  }
  return before === "" || Number.isNaN(Number(before)) ? undefined : Number(before);
}

export function rememberVisit(): void {
  localStorage.setItem(VISIT, String(Date.now()));
}

/** Of what the clocks of a zone are ahead of UTC, in milliseconds, the minutes past the full hour: 45 of Kathmandu's 5:45, 30 of Newfoundland's -3:30. */
export function minutesPastHour(aheadMs: number): number {
  const minutes = Math.round(aheadMs / 60_000);
  return ((minutes % 60) + 60) % 60;
}
