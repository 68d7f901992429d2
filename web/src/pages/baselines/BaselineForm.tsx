/** Makes a baseline, or changes a stored one. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import {
  type BaselineDetails,
  type BaselineVersion,
  baselineChoicesQuery,
  baselineHistoryQuery,
} from "../../api/baselines";
import { patch, post } from "../../api/client";
import { t, tn } from "../../state/language";
import { Field } from "../../ui/Field";
import { FieldPair, FormDialog } from "../../ui/FormDialog";
import { nameWeekday } from "./BaselineFacts";
import { type BaselineFields, buildBody, DAYS_MAX, emptyFields, readBaseline } from "./baselineFields";
import styles from "./baselineForm.module.css";
import { EndsField } from "./EndsField";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")];
const DAYS = Array.from({ length: DAYS_MAX + 1 }, (_, days) => days);
const WEEK = [0, 1, 2, 3, 4, 5, 6];

/** Without `baseline` a new one. `done` gets the name of the one that was saved. */
export function BaselineForm({ baseline, done }: { baseline?: BaselineDetails; done: (name?: string) => void }) {
  const choices = useQuery(baselineChoicesQuery()).data;
  const history = useQuery({ ...baselineHistoryQuery(baseline?.name ?? ""), enabled: baseline !== undefined }).data;
  if (!choices || (baseline && !history)) return null;
  return (
    <LoadedForm
      baseline={baseline}
      seen={history?.versions[0]}
      start={baseline ? readBaseline(baseline) : emptyFields(choices.timezone)}
      calendars={choices.calendars}
      channels={choices.channels}
      done={done}
    />
  );
}

interface LoadedProps {
  baseline: BaselineDetails | undefined;
  /** The version that was open when the form was: a newer one is not overwritten. */
  seen: BaselineVersion | undefined;
  start: BaselineFields;
  calendars: readonly string[];
  channels: readonly string[];
  done: (name?: string) => void;
}

function LoadedForm({ baseline, seen, start, calendars, channels, done }: LoadedProps) {
  const act = useAct("baselines", "audit");
  const [fields, setFields] = useState(start);
  const [version] = useState(seen?.version);
  const change = (some: Partial<BaselineFields>) => setFields((before) => ({ ...before, ...some }));
  const send = () => {
    const body = buildBody(fields);
    const name = fields.name.trim();
    const sent = act.mutateAsync(() =>
      baseline
        ? patch("/api/gnomon/v1/baselines/{name}", { path: { name: baseline.name }, body: { ...body, version } })
        : post("/api/gnomon/v1/baselines", { body: { ...body, name } }),
    );
    void sent.then(
      () => done(name),
      () => undefined,
    );
  };
  return (
    <FormDialog
      title={baseline ? t("Change baseline {name}", { name: baseline.name }) : t("New baseline")}
      submit={t("Save")}
      close={() => done()}
      send={send}
      isBusy={act.isPending}
      error={act.error}
      isWide
    >
      {!baseline && (
        <Field label={t("Name")} hint={t("Letters, digits, “_”, “-” and “.”")}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
              value={fields.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
      )}
      <EndsField ends={fields.of} change={(of) => change({ of })} />
      <DueFields fields={fields} change={change} />
      <DayFields fields={fields} change={change} calendars={calendars} />
      <FieldPair>
        <NumberField
          label={t("Margin in minutes")}
          hint={t("The end is wanted so long before.")}
          value={fields.margin}
          most={1439}
          onChange={(margin) => change({ margin })}
        />
        <NumberField
          label={t("At risk from, in percent")}
          hint={t("The probability that it is late.")}
          value={fields.risk}
          least={1}
          most={99}
          onChange={(risk) => change({ risk })}
        />
        <Field label={t("Owner")}>
          {(control) => (
            <input
              {...control}
              maxLength={250}
              value={fields.owner}
              onChange={(event) => change({ owner: event.target.value })}
            />
          )}
        </Field>
        <Field label={t("Priority while at risk")} hint={t("The weight of tasks on the key path: 100, or 100-1000.")}>
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              pattern="\d+(-\d+)?"
              maxLength={15}
              placeholder={t("their own|priority")}
              value={fields.priority}
              onChange={(event) => change({ priority: event.target.value.trim() })}
            />
          )}
        </Field>
      </FieldPair>
      <Choices
        label={t("Channels that are told when its level changes")}
        values={[...new Set([...channels, ...fields.to])]}
        chosen={fields.to}
        name={(channel) => channel}
        empty={t("gnomon.toml has no channel: add one below a line [alerts.channels.NAME].")}
        change={(to) => change({ to })}
      />
    </FormDialog>
  );
}

interface PartProps {
  fields: BaselineFields;
  change: (some: Partial<BaselineFields>) => void;
}

function DueFields({ fields, change }: PartProps) {
  const list = useId();
  return (
    <FieldPair>
      <Field label={t("By|time")}>
        {(control) => (
          <span className={styles.due}>
            <input
              {...control}
              type="time"
              required
              value={fields.by}
              onChange={(event) => change({ by: event.target.value })}
            />
            <select
              aria-label={t("Day|due")}
              value={fields.days}
              onChange={(event) => change({ days: Number(event.target.value) })}
            >
              {DAYS.map((days) => (
                <option key={days} value={days}>
                  {days === 0 ? t("same day") : tn("{count} day later", "{count} days later", days)}
                </option>
              ))}
            </select>
          </span>
        )}
      </Field>
      <Field label={t("Zone")}>
        {(control) => (
          <>
            <input
              {...control}
              required
              value={fields.timezone}
              list={list}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change({ timezone: event.target.value })}
            />
            <datalist id={list}>
              {ZONES.map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </FieldPair>
  );
}

function DayFields({ fields, change, calendars }: PartProps & { calendars: readonly string[] }) {
  const known = [...new Set([...calendars, ...(fields.calendar ? [fields.calendar] : [])])];
  return (
    <>
      <Choices
        label={t("Days of the runs; none: all days")}
        values={WEEK}
        chosen={fields.weekdays}
        name={nameWeekday}
        change={(weekdays) => change({ weekdays: weekdays.toSorted() })}
      />
      {known.length > 0 && (
        <Field label={t("Calendar")} hint={t("Only on its business days.")}>
          {(control) => (
            <select {...control} value={fields.calendar} onChange={(event) => change({ calendar: event.target.value })}>
              <option value="">{t("none: all days")}</option>
              {known.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}

function NumberField({
  label,
  hint,
  value,
  least = 0,
  most,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  least?: number;
  most: number;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          type="number"
          required
          min={least}
          max={most}
          step="any"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function Choices<T extends string | number>({
  label,
  values,
  chosen,
  name,
  empty,
  change,
}: {
  label: string;
  values: readonly T[];
  chosen: readonly T[];
  name: (value: T) => string;
  /** What stands there without values. */
  empty?: ReactNode;
  change: (chosen: T[]) => void;
}) {
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {values.length === 0 && <span className="soft">{empty}</span>}
      {values.map((value) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) =>
              change(event.target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          {name(value)}
        </label>
      ))}
    </fieldset>
  );
}
