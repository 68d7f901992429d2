/** Times and durations as people read them. */

import { useSyncExternalStore } from "react";
import { readPreference, subscribe as subscribePreferences, ZONE } from "./preferences";

/** `local` for that of the browser, `UTC`, or the name of a zone: `Asia/Kathmandu`. */
export type Zone = string;

let dagZone: string | undefined;
const listeners = new Set<() => void>();

/** The zone in which the page shows times. The zone of the DAG holds on the pages of a DAG; on the others UTC takes its place. */
export function useZone(): Zone {
  return useSyncExternalStore(subscribe, readZone);
}

/** As `useZone`, outside of components. */
export function readZone(): Zone {
  const choice = readPreference(ZONE);
  return choice === "DAG" ? (dagZone ?? "UTC") : choice;
}

/** The zone of the DAG that is shown; undefined on a page of no DAG. */
export function setDagZone(zone: string | undefined): void {
  if (zone === dagZone) return;
  dagZone = zone;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const stop = subscribePreferences(listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}

const formats = new Map<Zone, Intl.DateTimeFormat>();

/** One formatter a zone: to make one takes longer than to use it a hundred times. */
function findFormat(zone: Zone): Intl.DateTimeFormat {
  let found = formats.get(zone);
  if (!found) {
    found = new Intl.DateTimeFormat("sv-SE", {
      // Swedish dates are those of ISO 8601
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      ...(zone === "local" ? {} : { timeZone: zone }),
    });
    formats.set(zone, found);
  }
  return found;
}

/** `2026-03-29 02:30:00`, in the zone. */
export function formatTime(text: string | null | undefined, zone: Zone): string {
  if (!text) return "";
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  if (zone === "UTC" && at.getUTCFullYear() >= 1000 && at.getUTCFullYear() <= 9999)
    return at.toISOString().slice(0, 19).replace("T", " ");
  return findFormat(zone).format(at);
}

const UNITS = { d: "day", h: "hour", min: "minute", s: "second", ms: "millisecond" } as const;
const unitFormats = new Map<string, Intl.NumberFormat>();

/** `5 min`; in other languages than English with the words of the browser for the language of the page: `5分钟`. */
function formatUnit(count: number, unit: keyof typeof UNITS): string {
  const language = readLanguage();
  if (language === "en") return `${count} ${unit}`;
  const key = `${language} ${unit}`;
  let format = unitFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, { style: "unit", unit: UNITS[unit], unitDisplay: "short" });
    unitFormats.set(key, format);
  }
  return format.format(count);
}

/** `1 h 5 min`, `12.3 s`, `7 ms`: at most two units. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "";
  if (seconds > 0 && seconds < 0.1) return formatUnit(Math.max(1, Math.round(seconds * 1000)), "ms");
  if (seconds < 60)
    return formatUnit(seconds < 10 ? Math.round(seconds * 100) / 100 : Math.round(seconds * 10) / 10, "s");
  const whole = Math.round(seconds);
  const units: [number, keyof typeof UNITS][] = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const first = units.findIndex(([size]) => whole >= size);
  let rest = whole;
  const parts: string[] = [];
  for (const [size, name] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count) parts.push(formatUnit(count, name));
  }
  return parts.join(" ");
}

const moments = new Map<string, Intl.DateTimeFormat>();

function momentFormat(
  kind: "day" | "daySoon" | "clock" | "date" | "weekday",
  zone: Zone,
  language: string,
): Intl.DateTimeFormat {
  const key = `${kind} ${zone} ${language}`;
  let format = moments.get(key);
  if (!format) {
    const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    format = new Intl.DateTimeFormat(kind === "date" ? "sv-SE" : language === "en" ? "en-GB" : language, {
      ...(kind === "day" && { day: "numeric", month: language === "en" ? "short" : "long", year: "numeric" }),
      ...(kind === "daySoon" && { day: "numeric", month: language === "en" ? "short" : "long" }),
      ...(kind === "weekday" && { weekday: "short" }),
      ...(kind === "clock" && clock),
      ...(zone === "local" ? {} : { timeZone: zone }),
    });
    moments.set(key, format);
  }
  return format;
}

/** The language of the page. */
function readLanguage(): string {
  return (typeof document === "undefined" ? "" : document.documentElement.lang) || "en";
}

/** How far the names of days go: yesterday, today and tomorrow. */
const NEAR_DAYS = 1;

/**
 * An instant as people say it, in the zone: `today 04:00`, `28 Nov 01:15`, in another year than `now` `28 Nov 2025 01:15`.
 * `isDate`: with its date in any case, for sentences that go on before it.
 */
export function formatMoment(text: string | null | undefined, zone: Zone, now: number, isDate = false): string {
  if (!text) return "";
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const language = readLanguage();
  const clock = momentFormat("clock", zone, language).format(at);
  const date = momentFormat("date", zone, language);
  const day = date.format(at);
  const days = Math.round((Date.parse(day) - Date.parse(date.format(now))) / 86_400_000);
  if (!isDate && Math.abs(days) <= NEAR_DAYS) return `${nameDay(days, language)} ${clock}`;
  const isThisYear = day.slice(0, 4) === date.format(now).slice(0, 4);
  return `${momentFormat(isThisYear ? "daySoon" : "day", zone, language).format(at)} ${clock}`;
}

/** Of an instant of today only the clock, `04:00`: for several instants behind each other. */
export function formatSoon(text: string, zone: Zone, now: number): string {
  const date = momentFormat("date", zone, readLanguage());
  const isToday = date.format(new Date(text)) === date.format(now);
  return isToday ? momentFormat("clock", zone, readLanguage()).format(new Date(text)) : formatMoment(text, zone, now);
}

/** `04:00:12`, in the zone. */
export function formatClock(text: string, zone: Zone): string {
  return formatTime(text, zone).slice(11);
}

/** `Mon`. */
export function formatWeekday(text: string, zone: Zone): string {
  return momentFormat("weekday", zone, readLanguage()).format(new Date(text));
}

/** `28 Nov`, in the zone; `isTimed`: with its clock. */
export function formatDay(text: string, zone: Zone, isTimed = false): string {
  const at = new Date(text);
  const language = readLanguage();
  const day = momentFormat("daySoon", zone, language).format(at);
  return isTimed ? `${day} ${momentFormat("clock", zone, language).format(at)}` : day;
}

/** `18 Nov`, `11/18`: the day where there is little room. */
export function formatDayShort(text: string, zone: Zone): string {
  if (readLanguage() === "en") return formatDay(text, zone);
  const [, month, day] = formatTime(text, zone).slice(0, 10).split("-").map(Number);
  return `${month}/${day}`;
}

const dayNames = new Map<string, string>();

function nameDay(days: number, language: string): string {
  const key = `${days} ${language}`;
  let name = dayNames.get(key);
  if (name === undefined) {
    name = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
    dayNames.set(key, name);
  }
  return name;
}
