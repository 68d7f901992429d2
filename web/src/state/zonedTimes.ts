/** Local times of a zone as a user types them, and the instants that they name. */

import type { Zone } from "./times";

/** The name of a zone for the server; that of the browser for `local`. */
export function zoneName(zone: Zone): string {
  return zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" : zone;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let found = formats.get(zone);
  if (!found) {
    found = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    formats.set(zone, found);
  }
  return found;
}

/** The local time as if it were one of UTC, in milliseconds. */
function wallClock(at: number, zone: string): number {
  const fields = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map((one) => [one.type, Number(one.value)]),
  );
  return Date.UTC(fields.year ?? 0, (fields.month ?? 1) - 1, fields.day, fields.hour, fields.minute, fields.second);
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
export function findAhead(at: number, zone: Zone): number {
  const second = Math.floor(at / 1000) * 1000;
  return wallClock(second, zoneName(zone)) - second;
}

const LOCAL = /^(\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?$/;

/**
 * The instant, in UTC, that a local time like `2026-03-29T02:30` names; undefined for a text that is none, and for a time that a change of the clocks
 * leaves out. Of a time that occurs twice, the first.
 */
export function parseLocal(text: string, zone: Zone): string | undefined {
  const found = LOCAL.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1).map((one) => Number(one ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const shown = new Date(wall);
  if (
    Number.isNaN(wall) ||
    shown.getUTCMonth() !== month - 1 ||
    shown.getUTCDate() !== day ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return undefined;
  const name = zoneName(zone);
  const offsets = [-1, 1].map((side) => wallClock(wall + side * 86_400_000, name) - (wall + side * 86_400_000));
  const at = offsets.map((offset) => wall - offset).find((one) => wallClock(one, name) === wall);
  return at === undefined ? undefined : new Date(at).toISOString().replace(".000Z", "Z");
}

/** An instant as a field for local times shows it: `2026-03-29T02:30:00`; empty for a text that is no instant. */
export function formatLocal(at: string | null | undefined, zone: Zone): string {
  const instant = Date.parse(at ?? "");
  return Number.isNaN(instant) ? "" : new Date(wallClock(instant, zoneName(zone))).toISOString().slice(0, 19);
}

/** The first instant of a day, `2026-03-29`, in UTC. Where clocks are put forward at midnight, the day begins later. */
export function startOfDay(day: string, zone: Zone): string {
  for (let minute = 0; minute < 180; minute += 15) {
    const found = parseLocal(
      `${day}T${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`,
      zone,
    );
    if (found) return found;
  }
  return `${day}T00:00:00Z`;
}

/** The last instant of a day, to the millisecond, in UTC. */
export function endOfDay(day: string, zone: Zone): string {
  return new Date(Date.parse(startOfDay(addDays(day, 1), zone)) - 1).toISOString();
}

/** The day after, or so many days after, `2026-03-29`. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}
