/** The filters that lists of runs and of task instances share: the DAG, the period, the duration. */

import { t } from "../../state/language";
import { formatTime } from "../../state/times";
import type { Chip } from "./FilterChips";
import { SearchField } from "../SearchField";
import { amount, oneOf, type Readers, utcInstant } from "../../state/searchValues";
import { MomentField } from "./ZonedFields";
import styles from "./filters.module.css";

export type PeriodSearch = {
  by?: "start" | "due";
  from?: string;
  to?: string;
  longer?: number;
  shorter?: number;
};

export const PERIOD: Readers<PeriodSearch> = {
  by: oneOf(["start", "due"]),
  from: utcInstant,
  to: utcInstant,
  longer: amount,
  shorter: amount,
};

export function PeriodFields({ search, set }: { search: PeriodSearch; set: (some: PeriodSearch) => void }) {
  return (
    <fieldset className={styles.period}>
      <legend>{t("Period")}</legend>
      <select
        aria-label={t("Which date")}
        value={search.by ?? "end"}
        onChange={(event) => set({ by: PERIOD.by(event.target.value) })}
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
        onChange={(text) => set({ longer: amount(text) })}
      />
      <SearchField
        label={t("at most (s)")}
        type="number"
        value={search.shorter === undefined ? "" : String(search.shorter)}
        onChange={(text) => set({ shorter: amount(text) })}
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
