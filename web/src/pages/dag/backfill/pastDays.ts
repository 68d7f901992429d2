/** Ranges of whole days before today, which a new backfill begins with. */

import type { Zone } from "../../../state/times";
import { addDays, startOfDay } from "../../../state/zonedTimes";

/** Lengths of the ranges that are offered; the first is the default. */
export const PAST_DAYS = [7, 30] as const;

/** The first instant of the first day, and the last second of yesterday, in UTC. */
export function rangeOf(today: string, days: number, zone: Zone): { from: string; to: string } {
  const end = Date.parse(startOfDay(today, zone)) - 1000;
  return { from: startOfDay(addDays(today, -days), zone), to: new Date(end).toISOString().replace(".000Z", "Z") };
}
