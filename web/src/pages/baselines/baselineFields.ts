/** The fields of the form of a baseline, and what is sent of them. */

import type { BaselineDetails } from "../../api/baselines";

export interface BaselineFields {
  name: string;
  of: string[];
  by: string;
  days: number;
  timezone: string;
  /** Minutes. */
  margin: string;
  /** Percent. */
  risk: string;
  weekdays: number[];
  calendar: string;
  owner: string;
  to: string[];
  /** A weight, or the least and the most: `100-1000`; empty: tasks keep their own. */
  priority: string;
}

export const DAYS_MAX = 7;

export function emptyFields(timezone: string): BaselineFields {
  return {
    name: "",
    of: [],
    by: "07:00",
    days: 0,
    timezone,
    margin: "0",
    risk: "20",
    weekdays: [],
    calendar: "",
    owner: "",
    to: [],
    priority: "",
  };
}

export function readBaseline(baseline: BaselineDetails): BaselineFields {
  const { name, of, by, days, timezone, margin, at_risk: risk, weekdays, calendar, owner, to, priority } = baseline;
  return {
    name,
    of,
    by,
    days,
    timezone,
    margin: String(margin / 60),
    risk: String(Number((100 * risk).toPrecision(12))),
    weekdays,
    calendar,
    owner,
    to,
    priority: [...new Set(priority)].join("-"),
  };
}

/** All seven days are the same as none. */
export function buildBody(fields: BaselineFields) {
  const { of, by, days, timezone, margin, risk, weekdays, calendar, owner, to, priority } = fields;
  return {
    of,
    by,
    days,
    timezone,
    margin: 60 * Number(margin),
    at_risk: Number(risk) / 100,
    weekdays: weekdays.length === 7 ? [] : weekdays,
    calendar,
    owner,
    to,
    priority: readPriority(priority),
  };
}

function readPriority(text: string): number[] {
  const weights = text.split("-").filter(Boolean).map(Number);
  return weights.length === 1 ? [...weights, ...weights] : weights;
}
