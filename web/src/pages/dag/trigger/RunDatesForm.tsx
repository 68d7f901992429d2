/** Logical date, data interval, due time, id and note of a run by hand. */

import { useId } from "react";
import type { NewRun } from "../../../api/plans";
import { t } from "../../../state/language";
import { useZone } from "../../../state/times";
import { zoneName } from "../../../state/zonedTimes";
import { TimeInput } from "./TimeInput";

export interface RunDates {
  hasLogicalDate: boolean;
  /** Instants in UTC, or what is typed if it names none. */
  logicalDate: string;
  start: string;
  end: string;
  runAfter: string;
  runId: string;
  note: string;
}

type DateName = "logicalDate" | "start" | "end" | "runAfter";

/** What the dates say for a request, and what is wrong with them. */
export function readDates(dates: RunDates): { given: Omit<NewRun, "conf">; faults: Partial<Record<DateName, string>> } {
  const faults: Partial<Record<DateName, string>> = {};
  for (const name of ["logicalDate", "start", "end", "runAfter"] as const) {
    if (dates[name] !== "" && !dates[name].endsWith("Z"))
      faults[name] = t("There is no such time in this zone: the clocks are put forward then.");
  }
  if (dates.hasLogicalDate && dates.logicalDate === "")
    faults.logicalDate = t("Give the logical date, or choose a run without one.");
  if ((dates.start === "") !== (dates.end === ""))
    faults[dates.start === "" ? "start" : "end"] = t("Give both ends of the data interval, or neither.");
  else if (dates.start !== "" && Date.parse(dates.start) > Date.parse(dates.end))
    faults.end = t("The data interval ends before it begins.");
  return {
    given: {
      logical_date: dates.hasLogicalDate ? dates.logicalDate : null,
      dag_run_id: dates.runId || undefined,
      note: dates.note || undefined,
      data_interval_start: dates.start || undefined,
      data_interval_end: dates.end || undefined,
      run_after: dates.runAfter || undefined,
    },
    faults,
  };
}

export function RunDatesForm({
  dates,
  set,
  faults,
}: {
  dates: RunDates;
  set: (dates: RunDates) => void;
  faults: Partial<Record<DateName, string>>;
}) {
  const id = useId();
  const zone = useZone();
  const change = (some: Partial<RunDates>) => set({ ...dates, ...some });
  return (
    <fieldset>
      <legend>{t("The run")}</legend>
      <p className="soft">{t("Times are in the zone {zone}.", { zone: zoneName(zone) })}</p>
      <div className="filters">
        <label>
          <input
            type="radio"
            name={`${id}-date`}
            checked={!dates.hasLogicalDate}
            onChange={() => change({ hasLogicalDate: false })}
          />{" "}
          {t("now, without a logical date")}
        </label>
        <label>
          <input
            type="radio"
            name={`${id}-date`}
            checked={dates.hasLogicalDate}
            onChange={() => change({ hasLogicalDate: true })}
          />{" "}
          {t("with a logical date")}
        </label>
      </div>
      {dates.hasLogicalDate && (
        <TimeInput
          label={t("Logical date")}
          at={dates.logicalDate}
          set={(logicalDate) => change({ logicalDate })}
          fault={faults.logicalDate}
        />
      )}
      <details>
        <summary>{t("Data interval, due time, run id, note")}</summary>
        <TimeInput
          label={t("Data interval from")}
          at={dates.start}
          set={(start) => change({ start })}
          fault={faults.start}
        />
        <TimeInput label={t("Data interval to")} at={dates.end} set={(end) => change({ end })} fault={faults.end} />
        <TimeInput
          label={t("Run after")}
          at={dates.runAfter}
          set={(runAfter) => change({ runAfter })}
          fault={faults.runAfter}
        />
        <label className="field">
          <span>{t("Run id")}</span>
          <input value={dates.runId} maxLength={250} onChange={(event) => change({ runId: event.target.value })} />
        </label>
        <label className="field">
          <span>{t("Note")}</span>
          <textarea
            rows={2}
            maxLength={1000}
            value={dates.note}
            onChange={(event) => change({ note: event.target.value })}
          />
        </label>
      </details>
    </fieldset>
  );
}
