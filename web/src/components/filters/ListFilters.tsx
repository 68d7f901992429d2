/** The filters that lists of runs and of task instances share: the DAG, the period, the duration. */

import { t } from "../../state/language";
import { formatTime } from "../../state/times";
import type { Chip } from "./FilterChips";
import { SearchField } from "../SearchField";
import { MomentField } from "./ZonedFields";

export interface PeriodSearch {
  by?: "start" | "due";
  from?: string;
  to?: string;
  longer?: number;
  shorter?: number;
}

export function PeriodFields({ search, set }: { search: PeriodSearch; set: (some: Record<string, unknown>) => void }) {
  return (
    <fieldset className="period">
      <legend>{t("Period")}</legend>
      <select
        aria-label={t("Which date")}
        value={search.by ?? "end"}
        onChange={(event) => set({ by: event.target.value === "end" ? undefined : event.target.value })}
      >
        <option value="end">{t("ended")}</option>
        <option value="start">{t("started")}</option>
        <option value="due">{t("was due")}</option>
      </select>
      <MomentField label={t("from")} value={search.from} onChange={(from) => set({ from })} />
      <MomentField label={t("to")} value={search.to} onChange={(to) => set({ to })} />
      <SearchField
        label={t("took at least (s)")}
        type="number"
        value={search.longer === undefined ? "" : String(search.longer)}
        onChange={(text) => set({ longer: readNumber(text) })}
      />
      <SearchField
        label={t("at most (s)")}
        type="number"
        value={search.shorter === undefined ? "" : String(search.shorter)}
        onChange={(text) => set({ shorter: readNumber(text) })}
      />
    </fieldset>
  );
}

const FROM = {
  end: /* text */ "ended from {time}",
  start: /* text */ "started from {time}",
  due: /* text */ "was due from {time}",
};
const TO = {
  end: /* text */ "ended until {time}",
  start: /* text */ "started until {time}",
  due: /* text */ "was due until {time}",
};

/** The limits of the period and of the duration as filters that hold. */
export function listPeriodChips({ by: date, from, to, longer, shorter }: PeriodSearch, zone: string): Chip[] {
  const by = date ?? "end";
  const found: [string, string | undefined][] = [
    ["from", from && t(FROM[by], { time: formatTime(from, zone) })],
    ["to", to && t(TO[by], { time: formatTime(to, zone) })],
    ["longer", longer === undefined ? undefined : t("took at least {seconds} s", { seconds: longer })],
    ["shorter", shorter === undefined ? undefined : t("took at most {seconds} s", { seconds: shorter })],
  ];
  return found.flatMap(([field, label]) => (label ? [{ field, label, isNot: false, isFixed: true }] : []));
}

export function readNumber(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

export function readText(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

export function readPeriod(search: Record<string, unknown>): PeriodSearch & { cursor?: string; view?: "all" } {
  return {
    by: search.by === "start" || search.by === "due" ? search.by : undefined,
    from: readInstant(search.from),
    to: readInstant(search.to),
    longer: readNumber(search.longer),
    shorter: readNumber(search.shorter),
    cursor: readText(search.cursor),
    view: search.view === "all" ? "all" : undefined,
  };
}

function readInstant(value: unknown): string | undefined {
  const text = readText(value);
  return text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

export function dropEmpty<T extends object>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;
}
