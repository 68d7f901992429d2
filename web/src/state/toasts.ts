/** Short messages after an act, some of which can be undone for a while. */

import { useSyncExternalStore } from "react";

export interface Toast {
  key: number;
  text: string;
  undo?: () => void | Promise<void>;
  isBad: boolean;
  /** What it is about: a newer message about the same takes its place, because undoing the older one would no longer undo the last act. */
  about?: string;
  /** The runs that the act has touched. */
  runs?: readonly TouchedRun[];
}

export interface TouchedRun {
  dagId: string;
  runId: string;
}

const SHOWN_MAX = 4;
let toasts: readonly Toast[] = [];
let newest = 0;
const listeners = new Set<() => void>();

/** Say what was done to runs, with links to them. */
export function showRunToast(text: string, runs: readonly TouchedRun[]): void {
  newest += 1;
  put([...toasts, { key: newest, text, isBad: false, runs }].slice(-SHOWN_MAX));
}

/** Say what was done. `undo` does the opposite; it is offered as long as the message stands. */
export function showToast(text: string, undo?: () => void | Promise<void>, isBad = false, about?: string): void {
  newest += 1;
  const others = about === undefined ? toasts : toasts.filter((one) => one.about !== about);
  put([...others, { key: newest, text, undo, isBad, about }].slice(-SHOWN_MAX));
}

export function dropToast(key: number): void {
  put(toasts.filter((one) => one.key !== key));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts);
}

function put(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
