/** A search through a whole log on the server, call by call: what is found is shown at once, and the count grows. */

import { useEffect, useState } from "react";
import { type Level, type LogPlace, searchLines } from "../../../api/logs";

/** Lines that are kept; a search that finds more stops there and says so. */
export const FOUND_MAX = 200_000;
const PAUSE_MS = 150;
const GROWING_MS = 2_000;

export interface Found {
  numbers: readonly number[];
  isDone: boolean;
  error: Error | undefined;
}

const NOTHING: Found = { numbers: [], isDone: true, error: undefined };

/** The lines with the text and the level; an empty text without a level finds nothing. `isGrowing`: the search goes on at the end of the log. */
export function useLogSearch(place: LogPlace, text: string, level: Level | undefined, isGrowing: boolean): Found {
  const key = JSON.stringify([place, text, level]);
  const [found, setFound] = useState<Found & { key: string }>({ ...NOTHING, key: "" });
  useEffect(() => {
    if (text === "" && level === undefined) return undefined;
    const stop = new AbortController();
    const kept = JSON.parse(key) as [LogPlace];
    let timer: number | undefined;
    const numbers: number[] = [];
    const show = (isDone: boolean, error?: Error) => setFound({ key, numbers: [...numbers], isDone, error });
    const search = async (first: number) => {
      let next: number | null = first;
      try {
        while (next !== null && numbers.length < FOUND_MAX) {
          const answer = await searchLines(kept[0], text, level, next, stop.signal);
          for (const number of answer.numbers) numbers.push(number);
          next = answer.next_line;
          show(next === null || numbers.length >= FOUND_MAX);
        }
      } catch (error) {
        if (!stop.signal.aborted) show(true, error as Error);
        return;
      }
      const last = numbers[numbers.length - 1];
      if (isGrowing && numbers.length < FOUND_MAX)
        timer = window.setTimeout(() => void search(Math.max(first, last === undefined ? 0 : last + 1)), GROWING_MS);
    };
    show(false);
    timer = window.setTimeout(() => void search(0), PAUSE_MS);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [key, text, level, isGrowing]);
  if (text === "" && level === undefined) return NOTHING;
  return found.key === key ? found : { numbers: [], isDone: false, error: undefined };
}
