/** What the home page shows, as it is in its address; and when this browser was here before. */

import { readText } from "../../components/filters/ListFilters";

export const WINDOWS = ["24h", "7d", "visit"] as const;
export const GROUPINGS = ["tag", "owner", "folder", "pool", "state", "dag"] as const;
export type Window = (typeof WINDOWS)[number];
export type Grouping = (typeof GROUPINGS)[number];

export interface HomeView {
  /** How far back failures are shown; without it 24 hours. */
  window?: Window;
  group?: Grouping;
  within?: Grouping;
  value?: string;
  seen?: "shown";
}

export function readHomeSearch(search: Record<string, unknown>): HomeView {
  const within = GROUPINGS.find((one) => one === search.within && one !== "pool");
  const value = readText(search.value);
  const view: HomeView = {
    window: WINDOWS.slice(1).find((one) => one === search.window),
    group: GROUPINGS.slice(1).find((one) => one === search.group),
    within: value === undefined ? undefined : within,
    value: within === undefined ? undefined : value,
    seen: search.seen === "shown" ? "shown" : undefined,
  };
  return Object.fromEntries(Object.entries(view).filter(([, one]) => one !== undefined));
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
