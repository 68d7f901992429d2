/** A month: what ran on each day, what is planned, and why a day has nothing. */

import type { YearCalendar } from "../../../api/shapes";
import { stateClass, stateName, stateShape } from "../../../components/StateBadge";
import { t } from "../../../state/language";
import type { Span } from "../../../state/sentenceSpans";
import { formatShort } from "../../../state/numbers";
import { useZone } from "../../../state/times";
import { ClockIcon } from "../../../ui/icons";
import { findReason, findSpans, tellSpans } from "./dayWords";
import {
  buildWeeks,
  type CalendarDay,
  countRuns,
  findFirstOfReasons,
  kindOf,
  listStates,
  nameDate,
  nameMonth,
  nameWeekdays,
} from "./yearDays";
import styles from "./calendar.module.css";

interface MonthGridProps {
  found: YearCalendar;
  /** `2026-11` */
  month: string;
  chosen: string | undefined;
  open: (day: string) => void;
}

export function MonthGrid({ found, month, chosen, open }: MonthGridProps) {
  const days = found.days.filter((day) => day.day.startsWith(month));
  const weeks = buildWeeks(days);
  const saying = new Set(findFirstOfReasons(days));
  return (
    <table className={styles.month} aria-label={nameMonth(month, true)}>
      <thead>
        <tr>
          {nameWeekdays().map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, at) => (
          <tr key={at}>
            {week.map((day, weekday) => (
              <td key={weekday}>
                {day && (
                  <MonthDay
                    day={day}
                    today={found.today}
                    reason={findReason(found, day)}
                    spans={findSpans(found, day)}
                    isSaid={saying.has(day.day)}
                    isChosen={day.day === chosen}
                    open={open}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface MonthDayProps {
  day: CalendarDay;
  today: string;
  reason: string | undefined;
  spans: readonly Span[] | undefined;
  /** No day before it in the month says it already. */
  isSaid: boolean;
  isChosen: boolean;
  open: (day: string) => void;
}

function MonthDay({ day, today, reason, spans, isSaid, isChosen, open }: MonthDayProps) {
  const kind = kindOf(day, today);
  const zone = useZone();
  // Of today those that have their run are no longer planned.
  const slots = day.day >= today ? Math.max(0, (day.slots ?? 0) - countRuns(day)) : 0;
  const look = [styles.box, day.day === today && styles.now, kind === "none" && styles.nothing];
  return (
    <button
      type="button"
      className={look.filter(Boolean).join(" ")}
      aria-pressed={isChosen}
      onClick={() => open(day.day)}
    >
      <span className={styles.number}>
        <span aria-hidden="true">{Number(day.day.slice(8))}</span>
        <span className="unseen">{nameDate(day.day)}</span>
      </span>
      <span className={styles.states}>
        {listStates(day).map(([state, count]) => (
          <span key={state} className={`${styles.stateCount} ${stateClass(state)}`}>
            <span aria-hidden="true">{stateShape(state)}</span> {formatShort(count)}
            <span className="unseen"> {stateName(state)}</span>
          </span>
        ))}
        {slots > 0 && (
          <span className={styles.slots} title={t("planned")}>
            <ClockIcon size={11} aria-hidden="true" /> {formatShort(slots)}
            <span className="unseen"> {t("planned")}</span>
          </span>
        )}
      </span>
      {kind === "none" && reason !== undefined && (
        <span className={isSaid ? styles.reason : "unseen"}>{spans ? tellSpans(spans, zone) : reason}</span>
      )}
      {kind === "none" && reason === undefined && <span className="unseen">{t("no run")}</span>}
    </button>
  );
}
