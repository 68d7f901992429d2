/** What became of runs, in words. */

import type { ComparedRun, SimulationAnswer } from "../../api/simulations";
import { t, tn } from "../../state/language";
import { formatDuration, formatSoon, type Zone } from "../../state/times";

/** `ends later`: as the API calls it. */
export function nameChange(change: string): string {
  return t(CHANGES[change] ?? "as before");
}

const CHANGES: Record<string, string> = {
  appears: /* text */ "appears|run",
  vanishes: /* text */ "vanishes|run",
  moves: /* text */ "moves|run",
  "ends later": /* text */ "ends later|run",
  "ends earlier": /* text */ "ends earlier|run",
  "does not end": /* text */ "does not end|run",
  "ends now": /* text */ "ends now|run",
  "other state": /* text */ "ends in another state|run",
  "starts later": /* text */ "starts later|run",
  "starts earlier": /* text */ "starts earlier|run",
};

/** `3 runs end later`. */
export function countChange(change: string, count: number): string {
  switch (change) {
    case "appears":
      return tn("{count} run appears", "{count} runs appear", count);
    case "vanishes":
      return tn("{count} run vanishes", "{count} runs vanish", count);
    case "moves":
      return tn("{count} run moves", "{count} runs move", count);
    case "ends later":
      return tn("{count} run ends later", "{count} runs end later", count);
    case "ends earlier":
      return tn("{count} run ends earlier", "{count} runs end earlier", count);
    case "does not end":
      return tn("{count} run does not end", "{count} runs do not end", count);
    case "ends now":
      return tn("{count} run ends that did not", "{count} runs end that did not", count);
    case "other state":
      return tn("{count} run ends in another state", "{count} runs end in another state", count);
    case "starts later":
      return tn("{count} run starts later", "{count} runs start later", count);
    default:
      return tn("{count} run starts earlier", "{count} runs start earlier", count);
  }
}

/** `report ends 07:12 instead of 06:41 (31 min later)`. */
export function describeShift(run: ComparedRun, zone: Zone, now: number): string {
  const show = (at: string | null | undefined) => (at ? formatSoon(at, zone, now) : "–");
  const shift = run.shift ?? 0;
  const values = {
    dag: run.dag_id,
    time: show(run.after?.end_p50),
    before: show(run.before?.end_p50),
    span: formatDuration(Math.abs(shift)),
  };
  return shift < 0
    ? t("{dag} ends {time} instead of {before}, {span} earlier", values)
    : t("{dag} ends {time} instead of {before}, {span} later", values);
}

/** What the pointer and screen readers are told of a row. */
export function describeRun(run: ComparedRun, spans: SimulationAnswer["spans"], zone: Zone, now: number): string {
  const show = (at: string | null | undefined) => (at ? formatSoon(at, zone, now) : "–");
  const parts = [nameChange(run.change)];
  if (run.before?.end_p50 && run.after?.end_p50 && run.change !== "") parts.push(describeShift(run, zone, now));
  else if (run.after)
    parts.push(t("{start} to {end}", { start: show(run.after.start_p50), end: show(run.after.end_p50) }));
  return [...parts, ...run.reasons.map((text) => writeSentence(text, spans[text], zone, now))].join("; ");
}

/** A sentence of the server with its instants in the zone. */
function writeSentence(
  text: string,
  spans: SimulationAnswer["spans"][string] | undefined,
  zone: Zone,
  now: number,
): string {
  return (
    spans?.map((span) => (span.kind === "instant" ? formatSoon(span.text, zone, now) : span.text)).join("") ?? text
  );
}
