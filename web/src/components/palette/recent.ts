/** The DAGs and runs that this account has looked at last in this browser, newest first. */

import { readMeta } from "../../state/meta";

export interface RecentPlace {
  dagId: string;
  runId?: string | undefined;
}

const PLACES_MAX = 8;

export function listRecent(): RecentPlace[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key()) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPlace) : [];
  } catch {
    return [];
  }
}

export function remember(place: RecentPlace): void {
  const others = listRecent().filter((other) => other.dagId !== place.dagId || other.runId !== place.runId);
  try {
    localStorage.setItem(key(), JSON.stringify([place, ...others].slice(0, PLACES_MAX)));
  } catch {
    // A browser without storage forgets.
  }
}

function key(): string {
  return `gnomon-recent ${readMeta("gnomon-user")}`;
}

function isPlace(value: unknown): value is RecentPlace {
  if (typeof value !== "object" || value === null) return false;
  const { dagId, runId } = value as Record<string, unknown>;
  return typeof dagId === "string" && (runId === undefined || typeof runId === "string");
}
