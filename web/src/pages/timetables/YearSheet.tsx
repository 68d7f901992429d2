/** A year of a schedule, month by month: a cell for each day with its number of slots. The arrow keys go from day to day. */

import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { addDays } from "../../state/zonedTimes";
import { chooseLanguage, t, tn } from "../../state/language";
import { formatChange, groupMonths, rankSlots, type YearDay } from "./yearDays";
import styles from "./lab.module.css";

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

interface YearSheetProps {
  days: YearDay[];
  chosen: string | undefined;
  choose: (day: string) => void;
  isStale: boolean;
}

export function YearSheet({ days, chosen, choose, isStale }: YearSheetProps) {
  const [focus, setFocus] = useState<string>();
  const sheet = useRef<HTMLDivElement>(null);
  const byDay = useMemo(() => new Map(days.map((one) => [one.day, one])), [days]);
  const months = useMemo(() => groupMonths(days), [days]);
  const weekdays = useMemo(() => nameWeekdays(), []);
  const current = byDay.get(focus ?? "") ?? byDay.get(chosen ?? "") ?? days[0];
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || !current) return;
    event.preventDefault();
    const next = addDays(current.day, step);
    if (!byDay.has(next)) return;
    setFocus(next);
    sheet.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  return (
    <>
      <SheetLegend days={days} />
      <div
        className={`${styles.year} ${isStale ? styles.stale : ""}`}
        ref={sheet}
        onKeyDown={onKey}
        role="group"
        aria-label={t("Days of the year")}
      >
        {months.map((month) => (
          <section key={month.month}>
            <h3>{nameMonth(month.month)}</h3>
            <div className={styles.month}>
              {weekdays.map((name) => (
                <span key={name} className={styles.weekday} aria-hidden="true">
                  {name}
                </span>
              ))}
              {Array.from({ length: month.blanks }, (_, at) => (
                <span key={at} aria-hidden="true" />
              ))}
              {month.days.map((day) => (
                <button
                  key={day.day}
                  type="button"
                  data-day={day.day}
                  className={classOf(day)}
                  aria-pressed={day.day === chosen}
                  tabIndex={day.day === current?.day ? 0 : -1}
                  title={describeDay(day)}
                  onFocus={() => setFocus(day.day)}
                  onPointerEnter={() => setFocus(day.day)}
                  onClick={() => choose(day.day)}
                >
                  <small>{Number(day.day.slice(8))}</small>
                  {mark(day)}{" "}
                  <span className="unseen">
                    {day.day}: {describeDay(day)}
                  </span>
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
      <p className={styles.dayWords} role="status">
        {current && (
          <>
            <b>{current.day}</b>: {describeDay(current)}
          </>
        )}
      </p>
    </>
  );
}

function SheetLegend({ days }: { days: YearDay[] }) {
  const entries: [string, string, boolean][] = [
    ["rank1", t("one slot"), true],
    ["rank2", t("2 to 4"), true],
    ["rank3", t("5 to 24"), true],
    ["rank4", t("more than 24"), true],
    ["skipped", t("skipped because of the calendar"), days.some((one) => one.skipped)],
    ["clock", t("the clocks change"), days.some((one) => one.clockChange)],
    ["unknown", t("not computed"), days.some((one) => !one.isKnown)],
    ["changed", t("changed: + added, − removed, ~ moved, = other data"), days.some((one) => one.change)],
  ];
  return (
    <ul className="legend" aria-label={t("Colours")}>
      {entries
        .filter((one) => one[2])
        .map(([name, words]) => (
          <li key={name}>
            <span className={`${styles.swatch} ${styles[name] ?? ""}`} aria-hidden="true" /> {words}
          </li>
        ))}
    </ul>
  );
}

function classOf(day: YearDay): string {
  const names = [day.isKnown ? styles[`rank${rankSlots(day.slots)}`] : styles.unknown];
  if (day.skipped) names.push(styles.skipped);
  if (day.clockChange) names.push(styles.clock);
  if (day.change) names.push(styles.changed);
  return names.join(" ");
}

function mark(day: YearDay): string {
  if (day.change) return formatChange(day.change);
  return day.slots > 1 ? (day.slots < 10_000 ? String(day.slots) : `${Math.floor(day.slots / 1000)}k`) : "";
}

function describeDay(day: YearDay): string {
  const parts = [
    day.slots > 0 ? tn("{count} slot", "{count} slots", day.slots) : day.isKnown ? t("no slot") : t("not computed"),
  ];
  if (day.skipped) parts.push(t("skipped: {reason}", { reason: day.skipped }));
  if (day.clockChange) parts.push(t("the clocks change by {change}", { change: day.clockChange }));
  const change = day.change;
  if (change?.gained) parts.push(t("{count} added", { count: change.gained }));
  if (change?.lost) parts.push(t("{count} removed", { count: change.lost }));
  if (change?.moved) parts.push(t("{count} moved", { count: change.moved }));
  if (change?.redefined) parts.push(t("{count} with another data interval", { count: change.redefined }));
  return parts.join(", ");
}

/** Monday to Sunday. */
function nameWeekdays(): string[] {
  const format = new Intl.DateTimeFormat(chooseLanguage(), { weekday: "short", timeZone: "UTC" });
  return Array.from({ length: 7 }, (_, at) => format.format(new Date(Date.UTC(2024, 0, 1 + at))));
}

function nameMonth(month: string): string {
  return new Intl.DateTimeFormat(chooseLanguage(), { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
