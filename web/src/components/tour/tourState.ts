/** Where the tour is, and whether this browser has offered it. */

import { useSyncExternalStore } from "react";
import type { Me } from "../../api/administration";

const NAME = "gnomon.tour";
const DAY_MS = 86_400_000;
/** An account is new for so long. */
const NEW_MS = 7 * DAY_MS;
const listeners = new Set<() => void>();
let step: number | undefined;

/** The number of the step that is shown; undefined: the tour is not on. */
export function useTourStep(): number | undefined {
  return useSyncExternalStore(subscribe, () => step);
}

export function startTour(): void {
  goToStep(0);
}

export function endTour(): void {
  localStorage.setItem(NAME, "seen");
  goToStep(undefined);
}

export function goToStep(next: number | undefined): void {
  step = next;
  for (const listener of listeners) listener();
}

/** Whether the account is new, and nobody has taken or refused the tour in this browser. */
export function isTourOffered(me: Me | undefined, now: number): boolean {
  if (!me || localStorage.getItem(NAME) !== null) return false;
  return !me.created_at || now - Date.parse(me.created_at) < NEW_MS;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
