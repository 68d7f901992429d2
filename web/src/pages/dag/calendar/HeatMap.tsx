/** A year as a heat map: a column for each week, a square for each day. Arrows move from day to day, Enter opens one. */

import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from "react";
import type { YearCalendar } from "../../../api/shapes";
import { t } from "../../../state/language";
import { DayText, describeDay, findReason } from "./dayWords";
import {
  buildWeeks,
  type CalendarDay,
  countRuns,
  findOutside,
  kindOf,
  listMonths,
  moveDay,
  nameMonth,
  nameWeekdays,
  paintDay,
} from "./yearDays";
import styles from "./calendar.module.css";

interface HeatMapProps {
  found: YearCalendar;
  chosen: string | undefined;
  open: (day: string) => void;
}

export function HeatMap({ found, chosen, open }: HeatMapProps) {
  const weeks = useMemo(() => buildWeeks(found.days), [found.days]);
  const months = useMemo(() => listMonths(weeks), [weeks]);
  const outside = useMemo(() => findOutside(found.days), [found.days]);
  const most = useMemo(() => Math.max(0, ...found.days.map(countRuns)), [found.days]);
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
  const tabStop = focused?.startsWith(`${found.year}-`) ? focused : start;
  // A narrow window shows a part of the year: that with the day that matters.
  useEffect(() => {
    const box = frame.current;
    const day = box?.querySelector<HTMLElement>(`[data-day="${start}"]`);
    if (box && day) box.scrollLeft = day.offsetLeft - box.clientWidth / 2;
  }, [start]);
  const dayOf = (event: { target: EventTarget }) =>
    (event.target as HTMLElement).closest<HTMLElement>("[data-day]")?.dataset.day;
  const press = (event: KeyboardEvent) => {
    const from = dayOf(event);
    const next = from === undefined ? undefined : moveDay(found.days, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    frame.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  const click = (event: { target: EventTarget }) => {
    const day = dayOf(event);
    if (day === undefined) return;
    setFocused(day);
    open(day);
  };
  return (
    <div className={styles.heat}>
      <div
        ref={frame}
        className={styles.weeks}
        role="group"
        aria-label={t("The days of {year}", { year: found.year })}
        style={{ "--weeks": weeks.length } as React.CSSProperties}
        onKeyDown={press}
        onClick={click}
        onMouseOver={(event) => setSeen(dayOf(event))}
        onFocus={(event) => setSeen(dayOf(event))}
      >
        {months.map((month) => (
          <span
            key={month.month}
            className={styles.monthName}
            aria-hidden="true"
            style={{ gridColumn: `${month.from + 2} / span ${month.count}` }}
          >
            {nameMonth(month.month)}
          </span>
        ))}
        {nameWeekdays().map((name, at) => (
          <span
            key={name}
            className={styles.weekday}
            aria-hidden="true"
            style={{ gridRow: at + 2 }}
            data-hidden={at % 2 === 1 || undefined}
          >
            {name}
          </span>
        ))}
        {weeks.map((week, column) =>
          week.map(
            (day, row) =>
              day && (
                <Day
                  key={day.day}
                  day={day}
                  column={column + 2}
                  row={row + 2}
                  most={most}
                  today={found.today}
                  reason={findReason(found, day)}
                  isOutside={outside.has(day.day)}
                  isChosen={day.day === chosen}
                  isTabStop={day.day === tabStop}
                />
              ),
          ),
        )}
      </div>
      <p className={styles.seen} aria-hidden="true">
        {seenDay ? (
          <DayText found={found} day={seenDay} />
        ) : (
          t("Point at a day, or move to it with the arrow keys, to see what it has.")
        )}
      </p>
    </div>
  );
}

interface DayProps {
  day: CalendarDay;
  column: number;
  row: number;
  most: number;
  today: string;
  reason: string | undefined;
  /** The DAG has no schedule yet, or no longer. */
  isOutside: boolean;
  isChosen: boolean;
  isTabStop: boolean;
}

const Day = memo(function Day({ day, column, row, most, today, reason, isOutside, isChosen, isTabStop }: DayProps) {
  const kind = kindOf(day, today);
  const look = [
    styles.day,
    kind === "planned" && styles.planned,
    kind === "none" && reason !== undefined && (isOutside ? styles.outside : styles.off),
    day.day === today && styles.today,
  ];
  return (
    <button
      type="button"
      data-day={day.day}
      tabIndex={isTabStop ? 0 : -1}
      aria-pressed={isChosen}
      className={look.filter(Boolean).join(" ")}
      style={{ gridColumn: column, gridRow: row, background: paintDay(day, most) }}
    >
      <span className="unseen">{describeDay(day, today, reason)}</span>
    </button>
  );
});
