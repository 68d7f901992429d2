/** One day: its runs, its slots without a run, and why they have none. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { runsBetweenQuery, slotsBetweenQuery } from "../../../api/plans";
import { runExplanationQuery } from "../../../api/queries";
import type { DagRunList, SchedulePreview } from "../../../api/shapes";
import { useNow } from "../../../components/Ago";
import { Answer } from "../../../components/Answer";
import { RunLink } from "../../../components/Names";
import { Sentence } from "../../../components/Sentences";
import type { Span } from "../../../state/sentenceSpans";
import { StateBadge } from "../../../components/StateBadge";
import { Time } from "../../../components/Time";
import { t } from "../../../state/language";
import { useZone } from "../../../state/times";
import { addDays, startOfDay } from "../../../state/zonedTimes";
import { type CalendarDay, countRuns, nameDate } from "./yearDays";

export function DayPanel({
  dagId,
  day,
  reason,
  spans,
  today,
}: {
  dagId: string;
  day: CalendarDay;
  reason: string | undefined;
  spans: readonly Span[] | undefined;
  today: string;
}) {
  const zone = useZone();
  const from = startOfDay(day.day, zone);
  const to = startOfDay(addDays(day.day, 1), zone);
  const runs = useQuery({ ...runsBetweenQuery(dagId, from, to), enabled: countRuns(day) > 0 });
  const slots = useQuery({ ...slotsBetweenQuery(dagId, from, to), enabled: day.slots !== null && day.slots > 0 });
  return (
    <>
      <h3>
        {nameDate(day.day)}
        {day.day === today && ` (${t("today")})`}
      </h3>
      {reason && (
        <p className="warn">
          <Sentence text={reason} spans={spans} />
        </p>
      )}
      {countRuns(day) === 0 && !reason && (day.slots ?? 0) === 0 && (
        <p>
          {day.slots === null ? t("The slots of this day are not known.") : t("The schedule has no slot on this day.")}
        </p>
      )}
      {countRuns(day) > 0 && (
        <Answer query={runs} what={t("the runs of the day")}>
          {(found) => <Runs dagId={dagId} found={found} />}
        </Answer>
      )}
      {(day.slots ?? 0) > 0 && (
        <Answer query={slots} what={t("the slots of the day")}>
          {(found) => (
            <Slots
              key={day.day}
              dagId={dagId}
              found={found}
              runs={runs.data}
              total={day.slots ?? 0}
              runCount={countRuns(day)}
            />
          )}
        </Answer>
      )}
    </>
  );
}

function Runs({ dagId, found }: { dagId: string; found: DagRunList }) {
  return (
    <>
      <h4>{t("Runs")}</h4>
      <ul className="lines">
        {found.dag_runs.map((run) => (
          <li key={run.dag_run_id}>
            <StateBadge state={run.state} /> <RunLink dagId={dagId} runId={run.dag_run_id} />
          </li>
        ))}
      </ul>
      {(found.total_entries ?? 0) > found.dag_runs.length && (
        <p className="soft">
          {t("The first {shown} of {total} are shown.", {
            shown: found.dag_runs.length,
            total: found.total_entries ?? 0,
          })}
        </p>
      )}
    </>
  );
}

interface SlotsProps {
  dagId: string;
  found: SchedulePreview;
  runs: DagRunList | undefined;
  total: number;
  runCount: number;
}

/** The slots for which there is no run among those that are shown: those that have passed without one, and those to come. */
function Slots({ dagId, found, runs, total, runCount }: SlotsProps) {
  const now = useNow();
  if (runCount > 0 && runs === undefined) return null;
  const taken = new Set(runs?.dag_runs.map((run) => Date.parse(run.run_after)));
  const isCut = (runs?.total_entries ?? 0) > (runs?.dag_runs.length ?? 0);
  const free = isCut ? [] : found.slots.filter((slot) => !taken.has(Date.parse(slot.run_after)));
  if (free.length === 0) return null;
  const passed = free.filter((slot) => Date.parse(slot.run_after) <= now);
  const coming = free.filter((slot) => Date.parse(slot.run_after) > now);
  return (
    <>
      <SlotList dagId={dagId} title={t("Slots without a run")} slots={passed} isPassed />
      <SlotList dagId={dagId} title={t("Planned")} slots={coming} isPassed={false} />
      {total > found.slots.length && (
        <p className="soft">{t("The first {shown} of {total} are shown.", { shown: found.slots.length, total })}</p>
      )}
    </>
  );
}

/** Slots with their times; one that has passed without a run tells why. */
function SlotList({
  dagId,
  title,
  slots,
  isPassed,
}: {
  dagId: string;
  title: string;
  slots: SchedulePreview["slots"];
  isPassed: boolean;
}) {
  if (slots.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="lines">
        {slots.map((slot) => (
          <li key={slot.run_after}>
            <Time at={slot.run_after} />
            {slot.data_interval_start !== slot.data_interval_end && (
              <span className="soft">
                {" "}
                {t("for")} <Time at={slot.data_interval_start} /> {t("to")} <Time at={slot.data_interval_end} />
              </span>
            )}
            {slot.clock_change && <span className="soft"> {t("clocks {change}", { change: slot.clock_change })}</span>}{" "}
            {isPassed && <SlotReason dagId={dagId} at={slot.run_after} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Why a slot has no run: asked when one wants to know. */
export function SlotReason({ dagId, at }: { dagId: string; at: string }) {
  const [asked, setAsked] = useState(false);
  const answer = useQuery({ ...runExplanationQuery(dagId, at), retryOnMount: true, enabled: asked });
  if (!asked)
    return (
      <button type="button" className="plain" onClick={() => setAsked(true)}>
        {t("Why no run?")}
      </button>
    );
  return (
    <Answer query={answer} what={t("the explanation")}>
      {(found) => (
        <span className="block">
          {found.coded.map((one) => (
            <span key={one.text} className="block">
              <Sentence text={one.text} spans={one.spans} />
            </span>
          ))}
        </span>
      )}
    </Answer>
  );
}
