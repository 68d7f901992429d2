/** What a user prefers on every page: kept in the browser, seen at once by every component. */

import { useSyncExternalStore } from "react";
import { listLanguages } from "./languages";

const PREFIX = "gnomon.";
const listeners = new Set<() => void>();

/** One preference with its values, the first of which holds until the user chooses. */
export interface Preference<T extends string> {
  name: string;
  values: readonly T[];
}

export const ZONE: Preference<"local" | "UTC" | "DAG"> = { name: "zone", values: ["local", "UTC", "DAG"] };
export const THEME: Preference<"system" | "light" | "dark"> = { name: "theme", values: ["system", "light", "dark"] };
export const DENSITY: Preference<"comfortable" | "compact"> = { name: "density", values: ["comfortable", "compact"] };
export const LANGUAGE: Preference<string> = { name: "language", values: ["system", ...Object.keys(listLanguages())] };

export function usePreference<T extends string>(of: Preference<T>): [T, (value: T) => void] {
  const value = useSyncExternalStore(subscribe, () => readPreference(of));
  return [value, (chosen) => writePreference(of, chosen)];
}

export function readPreference<T extends string>(of: Preference<T>): T {
  const kept = localStorage.getItem(PREFIX + of.name);
  return of.values.find((one) => one === kept) ?? (of.values[0] as T);
}

export function writePreference<T extends string>(of: Preference<T>, value: T): void {
  localStorage.setItem(PREFIX + of.name, value);
  if (of.name === LANGUAGE.name) tellLogin(value);
  applyLook();
  for (const listener of listeners) listener();
}

/** The login is made by the server, which reads no preferences: a cookie has the language for it. */
function tellLogin(language: string): void {
  const age = language === "system" ? 0 : 31_536_000;
  document.cookie = `gnomon_language=${language}; path=/; max-age=${age}; samesite=lax`;
}

/** Theme and density are attributes of the document, which the styles read. */
export function applyLook(): void {
  document.documentElement.dataset.theme = readPreference(THEME);
  document.documentElement.dataset.density = readPreference(DENSITY);
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
