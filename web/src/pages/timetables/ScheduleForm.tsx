/** The fields of a schedule: a cron text, a calendar, a built-in timetable or a DAG, and its zone. What is wrong with it stands beside. */

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { choicesQuery } from "../../api/across";
import { dagSuggestionsQuery } from "../../api/queries";
import { useTyped } from "../../components/TypedField";
import { t } from "../../state/language";
import { EXAMPLES, HOLIDAYS, type Kind, KINDS, type ScheduleFields } from "./labView";
import styles from "./lab.module.css";

const KIND_WORDS: Record<Kind, string> = {
  cron: /* text */ "Cron text or preset",
  calendar: /* text */ "Business days of a calendar",
  timetable: /* text */ "Built-in timetable",
  dag: /* text */ "Schedule of a DAG",
};
const HOLIDAY_WORDS: Record<string, string> = {
  skip: /* text */ "skip the slot",
  next: /* text */ "the next business day",
  previous: /* text */ "the business day before",
};
const ZONES = Intl.supportedValuesOf("timeZone");

interface ScheduleFormProps {
  label: string;
  fields: ScheduleFields;
  fault: string | undefined;
  set: (fields: ScheduleFields) => void;
}

export function ScheduleForm({ label, fields, fault, set }: ScheduleFormProps) {
  const faultId = useId();
  const change = (some: Partial<ScheduleFields>) => set({ ...fields, ...some });
  const shared = { faultId, isWrong: fault !== undefined };
  return (
    <fieldset className={styles.schedule}>
      <legend>{label}</legend>
      <label>
        {t("Kind")}{" "}
        <select value={fields.kind} onChange={(event) => change({ kind: event.target.value as Kind })}>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t(KIND_WORDS[one])}
            </option>
          ))}
        </select>
      </label>
      {fields.kind === "cron" && (
        <Field
          {...shared}
          label={t("Cron")}
          value={fields.cron}
          placeholder="0 6 * * 1-5"
          onTyped={(cron) => change({ cron })}
        />
      )}
      {(fields.kind === "cron" || fields.kind === "calendar") && <CalendarFields fields={fields} change={change} />}
      {fields.kind === "timetable" && <StoredFields fields={fields} change={change} {...shared} />}
      {fields.kind === "dag" && <DagField fields={fields} change={change} {...shared} />}
      <ZoneField value={fields.zone} onTyped={(zone) => change({ zone })} />
      {fault !== undefined && (
        <p className="fault bad" id={faultId} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

interface FieldProps {
  label: string;
  value: string | undefined;
  placeholder?: string;
  list?: string;
  faultId: string;
  isWrong: boolean;
  onTyped: (text: string) => void;
}

function Field({ label, value, placeholder, list, faultId, isWrong, onTyped }: FieldProps) {
  const [typed, setTyped] = useTyped(value ?? "", onTyped);
  return (
    <label>
      {label}{" "}
      <input
        value={typed}
        placeholder={placeholder}
        list={list}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isWrong}
        aria-describedby={isWrong ? faultId : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}

interface PartProps {
  fields: ScheduleFields;
  change: (some: Partial<ScheduleFields>) => void;
}

function CalendarFields({ fields, change }: PartProps) {
  const names = useQuery(choicesQuery()).data?.calendars ?? [];
  const known = fields.calendar && !names.includes(fields.calendar) ? [fields.calendar, ...names] : names;
  const [at, setAt] = useTyped(fields.at ?? "00:00", (text) => change({ at: text }));
  return (
    <>
      <label>
        {t("Calendar")}{" "}
        <select value={fields.calendar ?? ""} onChange={(event) => change({ calendar: event.target.value })}>
          <option value="">{known.length ? t("none") : t("none in gnomon.toml")}</option>
          {known.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {fields.kind === "calendar" && (
        <label>
          {t("At")} <input type="time" value={at} onChange={(event) => setAt(event.target.value)} />
        </label>
      )}
      {fields.kind === "cron" && fields.calendar && (
        <label>
          {t("On a day off")}{" "}
          <select value={fields.holiday ?? "skip"} onChange={(event) => change({ holiday: event.target.value })}>
            {HOLIDAYS.map((one) => (
              <option key={one} value={one}>
                {t(HOLIDAY_WORDS[one] ?? one)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

function StoredFields({ fields, change, faultId, isWrong }: PartProps & { faultId: string; isWrong: boolean }) {
  const names = useQuery(choicesQuery()).data?.timetables ?? Object.keys(EXAMPLES);
  const [data, setData] = useTyped(fields.data ?? "", (text) => change({ data: text }));
  const choose = (path: string) => change({ path, data: path in EXAMPLES ? JSON.stringify(EXAMPLES[path]) : "{}" });
  return (
    <>
      <label>
        {t("Timetable")}{" "}
        <select value={fields.path ?? ""} onChange={(event) => choose(event.target.value)}>
          <option value="">{t("choose one")}</option>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {fields.path && (
        <label className={styles.wide}>
          {t("Parameters as JSON")}
          <textarea
            rows={3}
            value={data}
            spellCheck={false}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? faultId : undefined}
            onChange={(event) => setData(event.target.value)}
          />
        </label>
      )}
    </>
  );
}

function DagField({ fields, change, faultId, isWrong }: PartProps & { faultId: string; isWrong: boolean }) {
  const list = useId();
  const found = useQuery(dagSuggestionsQuery(fields.dag)).data?.dags ?? [];
  return (
    <>
      <Field
        label={t("DAG")}
        value={fields.dag}
        list={list}
        faultId={faultId}
        isWrong={isWrong}
        onTyped={(dag) => change({ dag })}
      />
      <datalist id={list}>
        {found.map((one) => (
          <option key={one.dag_id} value={one.dag_id} />
        ))}
      </datalist>
    </>
  );
}

function ZoneField({ value, onTyped }: { value: string | undefined; onTyped: (zone: string) => void }) {
  const list = useId();
  const [typed, setTyped] = useTyped(value ?? "", onTyped);
  const own = useQuery(choicesQuery()).data?.timezone;
  return (
    <label>
      {t("Zone")}{" "}
      <input
        value={typed}
        list={list}
        placeholder={own ? t("its own, else {zone}", { zone: own === "utc" ? "UTC" : own }) : t("its own")}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={list}>
        {ZONES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}
