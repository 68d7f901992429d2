/** A year of a DAG: past and coming runs by day, and why a day has none. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { calendarQuery } from "../../../api/plans";
import type { YearCalendar } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { Sentence } from "../../../components/Sentences";
import { t } from "../../../state/language";
import { useZone } from "../../../state/times";
import { addDays, zoneName } from "../../../state/zonedTimes";
import { DayPanel } from "./DayPanel";
import { YearGrid } from "./YearGrid";
import styles from "./calendar.module.css";

export interface CalendarView {
  year?: number;
  day?: string;
}

const route = getRouteApi("/dags/$dagId/calendar");

export function CalendarPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const timezone = zoneName(useZone());
  return (
    <Answer query={useQuery(calendarQuery(dagId, view.year, timezone))} what={t("the calendar")}>
      {(found) => <Year found={found} dagId={dagId} chosen={view.day} />}
    </Answer>
  );
}

function Year({ found, dagId, chosen }: { found: YearCalendar; dagId: string; chosen: string | undefined }) {
  const navigate = useNavigate();
  const open = (day: string) =>
    void navigate({
      to: "/dags/$dagId/calendar",
      params: { dagId },
      search: { year: found.year, day },
      replace: true,
      resetScroll: false,
    });
  const day = found.days.find((one) => one.day === (chosen ?? found.today));
  const reason = day?.reason == null ? undefined : found.reasons[day.reason];
  const thisYear = Number(found.today.slice(0, 4));
  const yearLink = (year: number, label: string, words: string) => (
    <Link to="/dags/$dagId/calendar" params={{ dagId }} search={{ year }} aria-label={words} resetScroll={false}>
      {label}
    </Link>
  );
  return (
    <section data-view="calendar">
      <h2 className={styles.head}>
        {yearLink(found.year - 1, "‹", t("Year {year}", { year: found.year - 1 }))} <span>{found.year}</span>{" "}
        {yearLink(found.year + 1, "›", t("Year {year}", { year: found.year + 1 }))}
        {found.year === thisYear ? (
          <button
            type="button"
            onClick={() => {
              open(found.today);
              showDay(found.today);
            }}
          >
            {t("Today")}
          </button>
        ) : (
          yearLink(thisYear, t("This year"), t("This year"))
        )}
      </h2>
      <p className="soft">
        {t("Days of the zone {zone}. A day counts the runs that were due on it.", { zone: found.timezone })}
        {found.clock_changes.length > 0 &&
          ` ${t("The clocks change on {days}.", { days: found.clock_changes.map((one) => `${one.at.slice(0, 10)} (${one.change})`).join(", ") })}`}
      </p>
      {found.blocked && (
        <p className="notice">
          <Sentence text={found.blocked} spans={found.spans[found.blocked]} />
        </p>
      )}
      {found.notes.map((note) => (
        <p key={note} className="warn">
          <Sentence text={note} spans={found.spans[note]} />
        </p>
      ))}
      {!found.is_counted_whole && (
        <p className="warn">{t("The year has more runs than are counted: the newest are shown.")}</p>
      )}
      <Legend />
      <div className={styles.columns}>
        <YearGrid found={found} chosen={chosen} open={open} />
        <aside
          className={chosen ? styles.side : `${styles.side} ${styles.empty}`}
          tabIndex={0}
          aria-label={t("Day")}
          aria-live="polite"
        >
          {day && (
            <p className={styles.steps}>
              <DayStep dagId={dagId} day={addDays(day.day, -1)} label={t("previous day")} sign="‹" />{" "}
              <DayStep dagId={dagId} day={addDays(day.day, 1)} label={t("next day")} sign="›" />
            </p>
          )}
          {day ? (
            <DayPanel
              dagId={dagId}
              day={day}
              reason={reason}
              spans={reason === undefined ? undefined : found.spans[reason]}
              today={found.today}
            />
          ) : (
            <p className="soft">{t("Choose a day to see its runs and slots. Arrow keys move, Enter opens.")}</p>
          )}
        </aside>
      </div>
    </section>
  );
}

/** The day before or after, in its year. */
function DayStep({ dagId, day, label, sign }: { dagId: string; day: string; label: string; sign: "‹" | "›" }) {
  return (
    <Link
      to="/dags/$dagId/calendar"
      params={{ dagId }}
      search={{ year: Number(day.slice(0, 4)), day }}
      replace
      resetScroll={false}
    >
      {sign === "‹" ? `‹ ${label}` : `${label} ›`}
    </Link>
  );
}

/** Bring a day into view: on a narrow window the months stand below each other. */
function showDay(day: string): void {
  const found = document.querySelector<HTMLElement>(`.${styles.year} [data-day="${day}"]`);
  found?.focus({ preventScroll: true });
  found?.scrollIntoView({ block: "center" });
}

function Legend() {
  return (
    <p className={`${styles.legend} soft`}>
      <span>
        <i className={styles.swatch} style={{ background: "var(--success)" }} /> {t("success")}
      </span>
      <span>
        <i className={styles.swatch} style={{ background: "var(--failed)" }}>
          ✕
        </i>{" "}
        {t("failed")}
      </span>
      <span>
        <i className={styles.swatch} style={{ background: "var(--running)" }} /> {t("running")}
      </span>
      <span>
        <i className={styles.swatch} style={{ background: "var(--waiting)" }} /> {t("queued")}
      </span>
      <span>
        <i className={`${styles.swatch} ${styles.planned}`} /> {t("planned")}
      </span>
      <span>
        <i className={`${styles.swatch} ${styles.off}`} /> {t("no run, with a reason")}
      </span>
    </p>
  );
}
