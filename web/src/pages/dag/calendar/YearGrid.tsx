/** The twelve months; arrows move from day to day over the months, Enter opens a day. */

import { type KeyboardEvent, memo, useMemo, useRef, useState } from "react";
import type { YearCalendar } from "../../../api/shapes";
import { t, tn } from "../../../state/language";
import { Sentence } from "../../../components/Sentences";
import type { Span } from "../../../state/sentenceSpans";
import { stateName } from "../../../components/StateBadge";
import { buildMonths, type CalendarDay, countRuns, kindOf, listStates, moveDay, paintDay } from "./yearDays";
import styles from "./calendar.module.css";

const MONTHS = [
  /* text */ "January",
  /* text */ "February",
  /* text */ "March",
  /* text */ "April",
  /* text */ "May",
  /* text */ "June",
  /* text */ "July",
  /* text */ "August",
  /* text */ "September",
  /* text */ "October",
  /* text */ "November",
  /* text */ "December",
];
const WEEKDAYS = [
  /* text */ "Mo",
  /* text */ "Tu",
  /* text */ "We",
  /* text */ "Th",
  /* text */ "Fr",
  /* text */ "Sa",
  /* text */ "Su",
];

export function YearGrid({
  found,
  chosen,
  open,
}: {
  found: YearCalendar;
  chosen: string | undefined;
  open: (day: string) => void;
}) {
  const months = useMemo(() => buildMonths(found.days), [found.days]);
  const start =
    chosen && chosen.startsWith(`${found.year}-`)
      ? chosen
      : found.days.some((day) => day.day === found.today)
        ? found.today
        : `${found.year}-01-01`;
  const [focused, setFocused] = useState<string>();
  const [seen, setSeen] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const seenDay = found.days.find((day) => day.day === seen);
  const look = (event: { target: EventTarget }) =>
    setSeen((event.target as HTMLElement).closest<HTMLElement>("[data-day]")?.dataset.day);
  const tabStop = focused?.startsWith(`${found.year}-`) ? focused : start;
  const press = (event: KeyboardEvent) => {
    const from = (event.target as HTMLElement).dataset.day;
    const next = from === undefined ? undefined : moveDay(found.days, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    frame.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  const click = (event: { target: EventTarget }) => {
    const day = (event.target as HTMLElement).closest<HTMLElement>("[data-day]")?.dataset.day;
    if (day === undefined) return;
    setFocused(day);
    open(day);
  };
  return (
    <div className={styles.year} ref={frame} onKeyDown={press} onClick={click} onMouseOver={look} onFocus={look}>
      <p className={styles.seen} aria-hidden="true">
        {seenDay ? (
          <DayText found={found} day={seenDay} />
        ) : (
          t("Point at a day, or move to it with the arrow keys, to see what it has.")
        )}
      </p>
      {months.map((month) => (
        <table
          key={month.number}
          className={styles.month}
          aria-label={`${t(MONTHS[month.number] ?? "")} ${found.year}`}
        >
          <caption>{t(MONTHS[month.number] ?? "")}</caption>
          <thead>
            <tr>
              {WEEKDAYS.map((name) => (
                <th key={name} scope="col">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {month.weeks.map((week, at) => (
              <tr key={at}>
                {week.map((day, weekday) => (
                  <td key={weekday}>
                    {day && (
                      <Day
                        day={day}
                        today={found.today}
                        reason={day.reason === null ? undefined : found.reasons[day.reason]}
                        isChosen={day.day === chosen}
                        isTabStop={day.day === tabStop}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

interface DayProps {
  day: CalendarDay;
  today: string;
  reason: string | undefined;
  isChosen: boolean;
  isTabStop: boolean;
}

const Day = memo(function Day({ day, today, reason, isChosen, isTabStop }: DayProps) {
  const kind = kindOf(day, today);
  const runs = countRuns(day);
  const count = kind === "runs" ? runs : kind === "planned" ? (day.slots ?? 0) : 0;
  return (
    <button
      type="button"
      data-day={day.day}
      tabIndex={isTabStop ? 0 : -1}
      aria-pressed={isChosen}
      className={`${styles.day} ${kind === "none" ? styles.none : ""} ${kind === "planned" ? styles.planned : ""} ${reason !== undefined && kind === "none" ? styles.off : ""} ${day.day === today ? styles.today : ""}`}
      style={{ background: paintDay(day) }}
    >
      <span className={styles.number}>{Number(day.day.slice(8))}</span>
      <span className="count">
        {day.runs.failed ? "✕" : ""}
        {count > 1 ? formatCount(count) : ""}
      </span>
      <span className={styles.hidden}>{describeDay(day, today, reason)}</span>
    </button>
  );
});

function formatCount(count: number): string {
  return count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`;
}

/** The day in words, with the instants of its reason in the chosen zone. */
function DayText({ found, day }: { found: YearCalendar; day: CalendarDay }) {
  const reason = day.reason === null ? undefined : found.reasons[day.reason];
  const text = describeDay(day, found.today, reason);
  const known = reason === undefined ? undefined : found.spans[reason];
  const spans: Span[] | undefined =
    known && reason ? [{ kind: "text", text: text.slice(0, -reason.length) }, ...known] : undefined;
  return <Sentence text={text} spans={spans} />;
}

/** `2026-03-05: 24 runs (1 failed, 23 success)`; of a day to come its slots; the reason where there is one. */
function describeDay(day: CalendarDay, today: string, reason: string | undefined): string {
  const parts: string[] = [];
  const runs = countRuns(day);
  if (runs > 0)
    parts.push(
      `${tn("{count} run", "{count} runs", runs)} (${listStates(day)
        .map(([state, count]) => `${count} ${stateName(state)}`)
        .join(", ")})`,
    );
  if (day.slots !== null && day.slots > 0 && day.day >= today)
    parts.push(tn("{count} slot planned", "{count} slots planned", day.slots));
  if (reason !== undefined) parts.push(reason);
  if (parts.length === 0) parts.push(day.slots === null ? t("slots are not known") : t("no run"));
  return `${day.day}${day.day === today ? ` (${t("today")})` : ""}: ${parts.join("; ")}`;
}
