/** What the lab shows, as its address says it: a schedule, perhaps a second one, and the start of the year. */

import type { Schedule } from "../../api/across";

export const KINDS = ["cron", "calendar", "timetable", "dag"] as const;
export type Kind = (typeof KINDS)[number];
export const HOLIDAYS = ["skip", "next", "previous"] as const;

/** The fields of one schedule, as texts. */
export interface ScheduleFields {
  kind: Kind;
  cron?: string;
  calendar?: string;
  holiday?: string;
  at?: string;
  path?: string;
  data?: string;
  dag?: string;
  zone?: string;
}

const FIELDS = ["cron", "calendar", "holiday", "at", "path", "data", "dag", "zone"] as const;
type FieldName = (typeof FIELDS)[number];

/** The address: the fields of the first schedule, those of the second with a 2, and the first day of the year. */
export type LabView = { kind?: Kind; kind2?: Kind; from?: string; day?: string } & {
  [name in FieldName | `${FieldName}2`]?: string;
};

export function readLab(search: Record<string, unknown>): LabView {
  const view: Record<string, string | undefined> = {
    kind: KINDS.find((one) => one === search.kind),
    kind2: KINDS.find((one) => one === search.kind2),
    from: readDay(search.from),
    day: readDay(search.day),
  };
  for (const name of FIELDS) for (const each of [name, `${name}2`]) view[each] = readText(search[each]);
  return view as LabView;
}

function readText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function readDay(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** The first or the second schedule of an address; the second only if the address has one. */
export function readFields(view: LabView, which: "" | "2"): ScheduleFields | undefined {
  if (which === "2" && view.kind2 === undefined) return undefined;
  const fields: ScheduleFields = { kind: (which === "" ? view.kind : view.kind2) ?? "cron" };
  for (const name of FIELDS) fields[name] = view[`${name}${which}`];
  return fields;
}

/** The part of an address for these fields. */
export function writeFields(fields: ScheduleFields | undefined, which: "" | "2"): LabView {
  const view: Record<string, string | undefined> = {
    [`kind${which}`]: which === "" && fields?.kind === "cron" ? undefined : fields?.kind,
  };
  for (const name of FIELDS) view[`${name}${which}`] = fields?.[name] || undefined;
  return view as LabView;
}

/** The body of a request, or why there is none: `empty` while nothing is chosen, `json` for data that cannot be read. */
export function buildSchedule(fields: ScheduleFields | undefined): {
  schedule?: Schedule;
  fault?: string;
  isEmpty?: boolean;
} {
  if (!fields) return { isEmpty: true };
  const timezone = fields.zone || undefined;
  switch (fields.kind) {
    case "cron":
      if (!fields.cron) return { isEmpty: true };
      return {
        schedule: {
          cron: fields.cron,
          timezone,
          calendar: fields.calendar || undefined,
          on_holiday: fields.calendar ? fields.holiday || undefined : undefined,
        },
      };
    case "calendar":
      return fields.calendar
        ? { schedule: { calendar: fields.calendar, at: fields.at || "00:00", timezone } }
        : { isEmpty: true };
    case "dag":
      return fields.dag ? { schedule: { dag_id: fields.dag, timezone } } : { isEmpty: true };
    case "timetable":
      return buildStored(fields, timezone);
  }
}

function buildStored(
  fields: ScheduleFields,
  timezone: string | undefined,
): { schedule?: Schedule; fault?: string; isEmpty?: boolean } {
  if (!fields.path) return { isEmpty: true };
  try {
    const data: unknown = JSON.parse(fields.data || "{}");
    if (typeof data !== "object" || data === null || Array.isArray(data)) return { fault: "{}" };
    return {
      schedule: {
        timetable: { path: fields.path, data: { ...(timezone ? { timezone } : {}), ...data } },
        timezone,
      },
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Data of each built-in timetable to begin with. */
export const EXAMPLES: Record<string, Record<string, unknown>> = {
  CronTriggerTimetable: { expression: "0 6 * * 1-5", timezone: "Europe/Berlin" },
  CronDataIntervalTimetable: { expression: "0 6 * * *", timezone: "UTC" },
  MultipleCronTriggerTimetable: { expressions: ["0 6 * * 1-5", "0 9 * * 6"], timezone: "UTC" },
  CronPartitionTimetable: { expression: "0 6 * * *", timezone: "UTC", run_offset: 0, key_format: "%Y-%m-%d" },
  DeltaTriggerTimetable: { delta: 5400 },
  DeltaDataIntervalTimetable: { delta: 5400 },
  EventsTimetable: { event_dates: ["2026-12-24T18:00:00+00:00", "2026-12-31T23:00:00+00:00"] },
  Minutely: { every: 15, start: "08:00", end: "18:00", timezone: "UTC" },
  Hourly: { every: 2, start: "00:00", end: "23:59", timezone: "UTC" },
  DiscreteHours: { hours: [2, 5, 15], minute: 0, timezone: "UTC" },
  Daily: { at: "06:00", timezone: "UTC" },
  Weekly: { weekdays: [1], at: "06:00", timezone: "UTC" },
  Monthly: { days: [1, "last"], at: "06:00", timezone: "UTC" },
  BusinessDays: {
    calendar: { kind: "country", country: "DE", subdivision: null, weekend: null },
    at: "06:00",
    timezone: "Europe/Berlin",
  },
};
