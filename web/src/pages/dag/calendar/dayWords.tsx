/** A day of the calendar in words. */

import type { YearCalendar } from "../../../api/shapes";
import { Sentence } from "../../../components/Sentences";
import { stateName } from "../../../components/StateBadge";
import { t, tn } from "../../../state/language";
import { formatCount } from "../../../state/numbers";
import type { Span } from "../../../state/sentenceSpans";
import { formatMoment, type Zone } from "../../../state/times";
import { type CalendarDay, countRuns, listStates } from "./yearDays";

/** The day in words, with the instants of its reason in the chosen zone. */
export function DayText({ found, day }: { found: YearCalendar; day: CalendarDay }) {
  const reason = day.reason === null ? undefined : found.reasons[day.reason];
  const text = describeDay(day, found.today, reason);
  const known = reason === undefined ? undefined : found.spans[reason];
  const spans: Span[] | undefined =
    known && reason ? [{ kind: "text", text: text.slice(0, -reason.length) }, ...known] : undefined;
  return <Sentence text={text} spans={spans} />;
}

/** `2026-03-05: 24 runs (1 failed, 23 success)`; of a day to come its slots; the reason where there is one. */
export function describeDay(day: CalendarDay, today: string, reason: string | undefined): string {
  const parts: string[] = [];
  const runs = countRuns(day);
  if (runs > 0)
    parts.push(
      `${tn("{count} run", "{count} runs", runs)} (${listStates(day)
        .map(([state, count]) => `${formatCount(count)} ${stateName(state)}`)
        .join(", ")})`,
    );
  if (day.slots !== null && day.slots > 0 && day.day >= today)
    parts.push(tn("{count} slot planned", "{count} slots planned", day.slots));
  if (reason !== undefined) parts.push(reason);
  if (parts.length === 0) parts.push(day.slots === null ? t("slots are not known") : t("no run"));
  return `${day.day}${day.day === today ? ` (${t("today")})` : ""}: ${parts.join("; ")}`;
}

export function findSpans(found: YearCalendar, day: CalendarDay): Span[] | undefined {
  const reason = findReason(found, day);
  return reason === undefined ? undefined : found.spans[reason];
}

/** The text of a reason with its instants in the zone, where there is no place for links. */
export function tellSpans(spans: readonly Span[], zone: Zone): string {
  return spans
    .map((one) => (one.kind === "instant" ? formatMoment(one.text, zone, Date.now(), true) : one.text))
    .join("");
}

/** Why the day has no run, or not all. */
export function findReason(found: YearCalendar, day: CalendarDay): string | undefined {
  return day.reason === null ? undefined : found.reasons[day.reason];
}
