/** Whether the window is narrow, as the style sheets mean it: a phone. */

import { useSyncExternalStore } from "react";

const narrow = typeof window === "undefined" ? undefined : window.matchMedia("(max-width: 40rem)");

function subscribe(listener: () => void): () => void {
  narrow?.addEventListener("change", listener);
  return () => narrow?.removeEventListener("change", listener);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow?.matches ?? false);
}
