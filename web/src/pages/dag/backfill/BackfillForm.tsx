/** A new backfill: its range and choices, then what it would do with each slot, then the button that creates it. */

import { useEffect, useEffectEvent, useState } from "react";
import { type BackfillRange, useCreateBackfill, usePreviewBackfill } from "../../../api/plans";
import type { DagDetails } from "../../../api/shapes";
import { Refusal } from "../../../components/Answer";
import { t } from "../../../state/language";
import { useZone } from "../../../state/times";
import { formatLocal, zoneName } from "../../../state/zonedTimes";
import { Button } from "../../../ui/Button";
import { Facet } from "../../../ui/Pill";
import { ConfForm } from "../trigger/ConfForm";
import { TimeInput } from "../trigger/TimeInput";
import { useConfForm } from "../trigger/useConfForm";
import { PAST_DAYS, rangeOf } from "./pastDays";
import { doesSomething } from "./previewWords";
import { SlotPreview } from "./SlotPreview";

const TYPED_MS = 500;
const REPROCESS: [BackfillRange["reprocess_behavior"], string][] = [
  ["none", /* text */ "only slots without a run"],
  ["failed", /* text */ "also slots whose run failed"],
  ["completed", /* text */ "all slots, also those whose run has ended"],
];

export function BackfillForm({ dag }: { dag: DagDetails }) {
  const zone = useZone();
  const [today] = useState(() => formatLocal(new Date().toISOString(), zone).slice(0, 10));
  const [from, setFrom] = useState(() => rangeOf(today, PAST_DAYS[0], zone).from);
  const [to, setTo] = useState(() => rangeOf(today, PAST_DAYS[0], zone).to);
  const [reprocess, setReprocess] = useState<BackfillRange["reprocess_behavior"]>("none");
  const [backwards, setBackwards] = useState(false);
  const [limit, setLimit] = useState("10");
  const form = useConfForm(dag.params ?? {});
  const [withConf, setWithConf] = useState(false);
  const preview = usePreviewBackfill(dag.dag_id);
  const create = useCreateBackfill(dag.dag_id);
  const conf = form.read();
  const faults = {
    from: from.endsWith("Z") ? undefined : t("Give the start of the range, with date and time."),
    to: to.endsWith("Z")
      ? Date.parse(to) < Date.parse(from)
        ? t("The range ends before it begins.")
        : undefined
      : t("Give the end of the range, with date and time."),
    limit: /^[1-9]\d*$/.test(limit) ? undefined : t("Give a whole number from 1 on."),
    conf: withConf && (conf.problem !== undefined || Object.keys(conf.faults).length > 0),
  };
  const isWrong = Boolean(faults.from ?? faults.to ?? faults.limit) || faults.conf;
  const range: BackfillRange = {
    from_date: from,
    to_date: to,
    reprocess_behavior: reprocess,
    run_backwards: backwards,
    max_active_runs: Number(limit),
    dag_run_conf: withConf ? conf.conf : null,
  };
  const text = JSON.stringify(range);
  const [previewed, setPreviewed] = useState<string>();
  const isPreviewed = previewed === text && preview.data !== undefined;
  const look = useEffectEvent(() => {
    if (!isWrong && !isPreviewed) preview.mutate(range, { onSuccess: () => setPreviewed(text) });
  });
  useEffect(() => {
    // At once when the view opens and when a backfill was created; what is typed, when one stops.
    const timer = window.setTimeout(look, previewed === undefined ? 0 : TYPED_MS);
    return () => window.clearTimeout(timer);
  }, [text, previewed]);
  const whyNot = !isPreviewed
    ? isWrong
      ? t("Some fields have no valid value: see what stands beside them.")
      : t("Reading {what} …", { what: t("the slots") })
    : preview.data && !doesSomething(preview.data)
      ? t("No slot of the range would run.")
      : undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <fieldset>
        <legend>{t("Range")}</legend>
        <p className="soft">{t("A backfill makes runs for dates of the past. Each date of the schedule is a slot.")}</p>
        <p className="soft">
          {t("Logical dates from the first to the last, both included; times are in the zone {zone}.", {
            zone: zoneName(zone),
          })}
        </p>
        <p className="acts">
          {PAST_DAYS.map((days) => {
            const past = rangeOf(today, days, zone);
            return (
              <Facet
                key={days}
                label={t("the past {count} days", { count: days })}
                isChosen={from === past.from && to === past.to}
                toggle={() => {
                  setFrom(past.from);
                  setTo(past.to);
                }}
              />
            );
          })}
        </p>
        <TimeInput label={t("From")} at={from} set={setFrom} fault={faults.from} />
        <TimeInput label={t("To")} at={to} set={setTo} fault={faults.to} />
        <div className="field" role="group" aria-label={t("Which slots run")}>
          <span>{t("Which slots run")}</span>
          <div>
            {REPROCESS.map(([value, words]) => (
              <label key={value} className="block">
                <input
                  type="radio"
                  name="reprocess"
                  checked={reprocess === value}
                  onChange={() => setReprocess(value)}
                />{" "}
                {t(words)}
              </label>
            ))}
          </div>
        </div>
        <div className="field">
          <label htmlFor="backfill-limit">{t("Runs at the same time")}</label>
          <input
            id="backfill-limit"
            inputMode="numeric"
            value={limit}
            aria-invalid={faults.limit !== undefined}
            aria-describedby="backfill-limit-fault"
            onChange={(event) => setLimit(event.target.value)}
          />
          <p className="soft about">{t("max_active_runs of the backfill; that of the DAG does not count its runs")}</p>
          <p id="backfill-limit-fault" className="fault" aria-live="polite">
            {faults.limit ?? ""}
          </p>
        </div>
        <label className="block">
          <input type="checkbox" checked={backwards} onChange={(event) => setBackwards(event.target.checked)} />{" "}
          {t("the newest slot first (run backwards)")}
        </label>
        <label className="block">
          <input type="checkbox" checked={withConf} onChange={(event) => setWithConf(event.target.checked)} />{" "}
          {t("with parameters of my own")}
        </label>
        <p className="soft">{t("Runs always use the newest version of the DAG.")}</p>
      </fieldset>
      {withConf && <ConfForm form={form} serverFaults={{}} />}
      <div className="acts">
        <Button
          look="primary"
          isBusy={create.isPending}
          disabled={whyNot !== undefined}
          why={whyNot}
          onClick={() =>
            create.mutate(range, {
              onSuccess: () => setPreviewed(undefined),
            })
          }
        >
          {t("Create the backfill")}
        </Button>
        {whyNot && <span className="soft">{whyNot}</span>}
      </div>
      {preview.isError && <Refusal error={preview.error} />}
      {create.isError && <Refusal error={create.error} />}
      {create.isSuccess && (
        <p role="status" className="done">
          {t("The backfill is created: its progress stands above.")}
        </p>
      )}
      {isPreviewed && preview.data && <SlotPreview found={preview.data} />}
    </form>
  );
}
