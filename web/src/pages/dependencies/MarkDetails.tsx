/** What a run of the day waits for and what waits for it, in words; read aloud when it changes. */

import { Link as PageLink } from "@tanstack/react-router";
import { StateBadge } from "../../components/StateBadge";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { countStates, type Link, type Mark } from "./dayGeometry";
import type { DayModel, DaySlot } from "./dayModel";
import type { ZoneClock } from "../../state/days";
import { explainRule, nameRule } from "./rules";
import graphStyles from "../../components/graph/graph.module.css";
import dayStyles from "./day.module.css";

const SLOTS_MAX = 60;
const NAMED_MAX = 12;

interface MarkDetailsProps {
  model: DayModel;
  mark: Mark | undefined;
  near: { waitsFor: Link[]; waitedBy: Link[] } | undefined;
  day: string;
  clock: ZoneClock;
}

export function MarkDetails({ model, mark, near, day, clock }: MarkDetailsProps) {
  const lane = mark && model.lanes[mark.lane];
  if (!mark || !near || !lane) {
    return (
      <p className={`${dayStyles.hint} soft`} role="status">
        {t("Point at a run, or go to it with the arrow keys, to see what it waits for.")}{" "}
        {t("Enter opens it; Page Up and Page Down, or a drag, change the day.")}
      </p>
    );
  }
  const rules = [...new Set(near.waitsFor.map((one) => one.rule))];
  const free = mark.slots.length === 1 ? model.free.get(`${mark.lane} ${mark.slots[0]?.at}`) : undefined;
  return (
    <div className={graphStyles.details} role="status">
      <p>
        <b className="name">{lane.dagId}</b> {describeSlots(mark, day, clock)}{" "}
        {countStates(mark.slots).map(([state, count]) => (
          <span key={state}>
            <StateBadge state={nameState(state)} />
            {mark.slots.length > 1 ? ` ${formatCount(count)} ` : " "}
          </span>
        ))}
      </p>
      {near.waitsFor.length > 0 && (
        <p>
          {t("waits for {names}", {
            names: describeEnds(
              model,
              near.waitsFor.map((one) => one.to),
              day,
              clock,
            ),
          })}
        </p>
      )}
      {rules.map((rule) => (
        <p key={rule} className="soft">
          <b>{nameRule(rule)}</b>: {explainRule(rule)}
        </p>
      ))}
      {free !== undefined && near.waitsFor.length === 0 && (
        <p className="soft">{t("It waits for nothing: {why}", { why: explainRule(free) })}</p>
      )}
      {near.waitedBy.length > 0 && (
        <p>
          {t("is waited for by {names}", {
            names: describeEnds(
              model,
              near.waitedBy.map((one) => one.from),
              day,
              clock,
            ),
          })}
        </p>
      )}
      {mark.slots.length > 1 && <RunLinks dagId={lane.dagId} slots={mark.slots} day={day} clock={clock} />}
    </div>
  );
}

function RunLinks({ dagId, slots, day, clock }: { dagId: string; slots: DaySlot[]; day: string; clock: ZoneClock }) {
  const runs = slots.filter((one) => one.runId !== undefined).slice(0, SLOTS_MAX);
  return (
    <p className={dayStyles.runLinks}>
      {runs.map((one) => (
        <PageLink
          key={one.runId}
          to="/dags/$dagId/runs/$runId"
          params={{ dagId, runId: one.runId as string }}
          className={`badge state-${one.state}`}
        >
          {clock.label(one.at, day)}
        </PageLink>
      ))}
    </p>
  );
}

function describeSlots(mark: Mark, day: string, clock: ZoneClock): string {
  const first = mark.slots[0];
  const last = mark.slots[mark.slots.length - 1];
  if (!first || !last) return "";
  if (first === last) return clock.label(first.at, day);
  return (
    tn("{count} slot", "{count} slots", mark.slots.length) +
    `, ${clock.label(first.at, day)} – ${clock.label(last.at, day)}`
  );
}

/** `loads 05:00 05:30; rates 06:00`, by DAG. */
function describeEnds(model: DayModel, marks: Mark[], day: string, clock: ZoneClock): string {
  const byLane = new Map<number, Mark[]>();
  for (const mark of new Set(marks)) byLane.set(mark.lane, [...(byLane.get(mark.lane) ?? []), mark]);
  return [...byLane]
    .map(([lane, found]) => {
      const times = found
        .slice(0, NAMED_MAX)
        .map((one) => describeSlots(one, day, clock))
        .join(", ");
      const more = found.length > NAMED_MAX ? ` ${t("and {count} more", { count: found.length - NAMED_MAX })}` : "";
      return `${model.lanes[lane]?.dagId ?? ""} ${times}${more}`;
    })
    .join("; ");
}

/** The words of a slot without a run. */
export function nameState(state: string): string {
  return state === "none"
    ? t("passed without a run")
    : state === "due"
      ? t("due, without a run yet")
      : state === "planned"
        ? t("to come")
        : state;
}
