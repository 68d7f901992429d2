/** Keys of a view: single keys that act while nobody types, no dialog is open and no other widget takes them. The two keys of `g d` are those of the page. */

import { useEffect, useEffectEvent } from "react";
import { isModalOpen } from "./isModalOpen";

const CHORD_MS = 1_000;
/** Where keys have a meaning of their own. */
const WIDGETS =
  "input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox], [role=combobox], [role=grid], [role=log]";
/** What Enter presses by itself. */
const PRESSED = "a, button, summary";

export function useKeys(keys: Record<string, () => void>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key];
    const target = event.target instanceof Element ? event.target : undefined;
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target?.closest(WIDGETS) || (event.key === "Enter" && target?.closest(PRESSED))) return;
    if (isModalOpen()) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    let prefixAt = 0;
    const listen = (event: KeyboardEvent) => {
      const isChord = Date.now() - prefixAt < CHORD_MS;
      prefixAt = event.key === "g" ? Date.now() : 0;
      if (!isChord) press(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
