/** What a run is called where people read it. Its id is the name that the system gave it, in UTC, or a name that somebody chose. */

import { typeName } from "../components/StateBadge";
import { formatMoment, type Zone } from "./times";

const OF_SYSTEM =
  /^(scheduled|manual|backfill|asset_triggered)__(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))(?:.*?__(.+))?/;

/** `28 Nov 01:15 · scheduled` of an id that the system made, in the zone, with the key of its partition if it has one; an id that somebody chose is its own name. */
export function nameRun(runId: string, zone: Zone, now = Date.now()): string {
  const [, type, at, partition] = OF_SYSTEM.exec(runId) ?? [];
  if (!type || !at) return runId;
  return [formatMoment(at, zone, now, true), typeName(type), partition].filter(Boolean).join(" · ");
}
