/** The way to the errors of a log, one after the other: each is searched for on the server, so that a log of any length is no hindrance. */

import { useEffect, useRef, useState } from "react";
import { type LogPlace, searchLines } from "../../../api/logs";
import { t } from "../../../state/language";

interface NextError {
  search: () => void;
  isSearching: boolean;
  /** That there is none, or why it could not be searched for. */
  said: string;
}

export function useNextError(place: LogPlace, show: (line: number) => void): NextError {
  const last = useRef(-1);
  const stop = useRef(new AbortController());
  const [isSearching, setSearching] = useState(false);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const controller = new AbortController();
    stop.current = controller;
    return () => controller.abort();
  }, []);
  const search = async () => {
    const { signal } = stop.current;
    setSearching(true);
    setSaid("");
    try {
      const line =
        (await findError(place, last.current + 1, signal)) ??
        (last.current < 0 ? undefined : await findError(place, 0, signal));
      last.current = line ?? -1;
      if (line === undefined) setSaid(t("no line is an error"));
      else show(line);
    } catch (error) {
      if (!signal.aborted) setSaid((error as Error).message);
    }
    if (!signal.aborted) setSearching(false);
  };
  return { search: () => void search(), isSearching, said };
}

async function findError(place: LogPlace, first: number, signal: AbortSignal): Promise<number | undefined> {
  for (let from: number | null = first; from !== null;) {
    const { numbers, next_line }: Awaited<ReturnType<typeof searchLines>> = await searchLines(
      place,
      "",
      "error",
      from,
      signal,
    );
    if (numbers[0] !== undefined) return numbers[0];
    from = next_line;
  }
  return undefined;
}
