/** The log of a try, live: the store of its lines, and the poll for new ones. The lines of a log are no changes, so no event tells of them. */

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type LogPlace, readLines } from "../../../api/logs";
import { LogStore } from "./logStore";

const POLL_MS = 1_000;
const COUNTING_MS = 250;

export function useLog(place: LogPlace): LogStore {
  const key = JSON.stringify(place);
  const store = useMemo(() => {
    const kept = JSON.parse(key) as LogPlace;
    return new LogStore((query, signal) => readLines(kept, query, signal));
  }, [key]);
  useSyncExternalStore(store.subscribe, store.getVersion);
  useEffect(() => {
    let timer: number | undefined;
    let isLeft = false;
    const look = async () => {
      if (!document.hidden) await store.extend();
      if (isLeft || store.error !== undefined || (store.isOver && store.isCounted)) return;
      timer = window.setTimeout(() => void look(), store.isRead && !store.isCounted ? COUNTING_MS : POLL_MS);
    };
    void look();
    return () => {
      isLeft = true;
      window.clearTimeout(timer);
    };
  }, [store]);
  return store;
}
