/** Which columns of a list are shown: each browser keeps what is chosen. */

import { useSyncExternalStore } from "react";

const PREFIX = "gnomon.columns.";
const listeners = new Set<() => void>();
const kept = new Map<string, ReadonlySet<string>>();

/** The hidden columns of the list at a path, and the function that shows or hides one. `hidden`: those that are hidden until somebody chooses. */
export function useHiddenColumns(
  path: string,
  hidden: readonly string[],
): [ReadonlySet<string>, (column: string, isShown: boolean) => void] {
  const found = useSyncExternalStore(subscribe, () => read(path, hidden));
  return [
    found,
    (column, isShown) => {
      const changed = new Set(found);
      if (isShown) changed.delete(column);
      else changed.add(column);
      kept.set(path, changed);
      localStorage.setItem(PREFIX + path, JSON.stringify([...changed]));
      for (const listener of listeners) listener();
    },
  ];
}

function read(path: string, hidden: readonly string[]): ReadonlySet<string> {
  let found = kept.get(path);
  if (!found) {
    found = new Set(parse(localStorage.getItem(PREFIX + path)) ?? hidden);
    kept.set(path, found);
  }
  return found;
}

function parse(text: string | null): string[] | undefined {
  try {
    const names: unknown = JSON.parse(text ?? "");
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
