/** Failures that the user has looked at, kept in this browser. A run that fails again is not seen. */

import { useSyncExternalStore } from "react";

const NAME = "gnomon.seen";
const KEPT_MAX = 2_000;
const listeners = new Set<() => void>();
let marks: ReadonlySet<string> | undefined;

export interface Seen {
  dag_id: string;
  run_id: string;
  ended_at: string;
}

export function markKey(failure: Seen): string {
  return `${failure.dag_id} ${failure.run_id} ${failure.ended_at}`;
}

export function useSeenMarks(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, read);
}

export function setSeen(failures: readonly Seen[], isSeen: boolean): void {
  const changed = new Set(read());
  for (const one of failures) {
    if (isSeen) changed.add(markKey(one));
    else changed.delete(markKey(one));
  }
  marks = new Set([...changed].slice(-KEPT_MAX));
  localStorage.setItem(NAME, JSON.stringify([...marks]));
  for (const listener of listeners) listener();
}

function read(): ReadonlySet<string> {
  if (!marks) {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? "[]");
      marks = new Set(Array.isArray(kept) ? kept.map(String) : []);
    } catch {
      marks = new Set();
    }
  }
  return marks;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
