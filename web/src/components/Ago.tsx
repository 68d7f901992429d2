/** How long ago an instant was, or in how long it comes; the instant itself is in the title and for screen readers. */

import { useSyncExternalStore } from "react";
import { t } from "../state/language";
import { formatDuration, formatTime, useZone } from "../state/times";

const TICK_MS = 10_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

/** The present, with a new value every ten seconds and none in between: one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The present to the second, rounded up so that what has just happened lies in the past; read anew with each drawing and each tick. */
export function usePresent(): number {
  return useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / 1000) * 1000);
}

export function Ago({ at }: { at: string }) {
  const zone = useZone();
  const seconds = Math.round((usePresent() - Date.parse(at)) / 1000);
  const span = formatDuration(Math.abs(seconds) < 60 ? Math.abs(seconds) : Math.round(Math.abs(seconds) / 60) * 60);
  return (
    <time dateTime={at} title={formatTime(at, zone)}>
      {seconds >= 0 ? t("{span} ago", { span }) : t("in {span}", { span })}
    </time>
  );
}

/** How long something has lasted since an instant. */
export function HowLong({ since }: { since: string }) {
  const zone = useZone();
  const seconds = Math.max(0, Math.round((usePresent() - Date.parse(since)) / 1000));
  return (
    <time dateTime={since} title={formatTime(since, zone)}>
      {t("for {span}", { span: formatDuration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60) })}
    </time>
  );
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = window.setInterval(() => {
      now = Date.now();
      for (const one of listeners) one();
    }, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}
