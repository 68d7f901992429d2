/** A year of a DAG as a heat map, one of its months, and one of its days: past and coming runs, and why a day has none. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { calendarQuery } from "../../../api/plans";
import type { YearCalendar } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { Sentence } from "../../../components/Sentences";
import { t } from "../../../state/language";
import { useZone } from "../../../state/times";
import { addDays, zoneName } from "../../../state/zonedTimes";
import { Button, buttonClass } from "../../../ui/Button";
import { EarlierIcon, InfoIcon, LaterIcon } from "../../../ui/icons";
import { Popover } from "../../../ui/Popover";
import { Toolbar } from "../../../ui/PageHeader";
import { DayPanel } from "./DayPanel";
import { findReason } from "./dayWords";
import { HeatMap } from "./HeatMap";
import { MonthGrid } from "./MonthGrid";
import { addMonths, nameMonth } from "./yearDays";
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
      search: { year: Number(day.slice(0, 4)), day },
      replace: true,
      resetScroll: false,
    });
  const thisYear = Number(found.today.slice(0, 4));
  const shownDay = chosen?.startsWith(`${found.year}-`)
    ? chosen
    : found.year === thisYear
      ? found.today
      : `${found.year}-01-01`;
  const day = found.days.find((one) => one.day === shownDay);
  const reason = day && findReason(found, day);
  const month = shownDay.slice(0, 7);
  return (
    <section data-view="calendar">
      <Toolbar label={t("Time shown")}>
        <Step year={found.year - 1} dagId={dagId} />
        <b>{found.year}</b>
        <Step year={found.year + 1} dagId={dagId} isLater />
        <Button onClick={() => open(found.today)} disabled={shownDay === found.today} why={t("Today is shown.")}>
          {t("Today")}
        </Button>
        <Legend />
        <Popover label={t("About the days")} icon={InfoIcon} look="quiet" isBare placement="bottom-end">
          <p>{t("Days of the zone {zone}. A day counts the runs that were due on it.", { zone: found.timezone })}</p>
          {found.clock_changes.length > 0 && (
            <p>
              {t("The clocks change on {days}.", {
                days: found.clock_changes.map((one) => `${one.at.slice(0, 10)} (${one.change})`).join(", "),
              })}
            </p>
          )}
        </Popover>
      </Toolbar>
      <Remarks found={found} />
      <HeatMap found={found} chosen={chosen} open={open} />
      <div className={styles.columns}>
        <div>
          <h2 className={styles.monthHead}>
            <MonthStep month={addMonths(month, -1)} open={open} />
            {nameMonth(month, true)}
            <MonthStep month={addMonths(month, 1)} open={open} isLater />
          </h2>
          <MonthGrid found={found} month={month} chosen={shownDay} open={open} />
        </div>
        <aside className={styles.side} tabIndex={0} aria-label={t("Day")} aria-live="polite">
          {day && (
            <>
              <div className={styles.steps}>
                <DayStep dagId={dagId} day={addDays(day.day, -1)} label={t("previous day")} sign="‹" />{" "}
                <DayStep dagId={dagId} day={addDays(day.day, 1)} label={t("next day")} sign="›" />
              </div>
              <DayPanel
                dagId={dagId}
                day={day}
                reason={reason}
                spans={reason === undefined ? undefined : found.spans[reason]}
                today={found.today}
              />
            </>
          )}
        </aside>
      </div>
    </section>
  );
}

function Remarks({ found }: { found: YearCalendar }) {
  return (
    <>
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
    </>
  );
}

function Step({ year, dagId, isLater }: { year: number; dagId: string; isLater?: boolean }) {
  const Sign = isLater ? LaterIcon : EarlierIcon;
  const name = t("Year {year}", { year });
  return (
    <Link
      className={buttonClass("quiet")}
      to="/dags/$dagId/calendar"
      params={{ dagId }}
      search={{ year }}
      aria-label={name}
      title={name}
      resetScroll={false}
    >
      <Sign size={16} aria-hidden="true" />
    </Link>
  );
}

function MonthStep({ month, open, isLater }: { month: string; open: (day: string) => void; isLater?: boolean }) {
  const name = nameMonth(month, true);
  return (
    <Button
      look="quiet"
      isSmall
      icon={isLater ? LaterIcon : EarlierIcon}
      aria-label={name}
      title={name}
      onClick={() => open(`${month}-01`)}
    />
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

function Legend() {
  const parts: [string, string][] = [
    ["solid state-success", t("success")],
    ["solid state-failed", t("failed")],
    ["solid state-running", t("running")],
    ["solid state-queued", t("queued")],
    [styles.planned ?? "", t("planned")],
    [styles.off ?? "", t("no run, with a reason")],
  ];
  return (
    <span className={styles.legend}>
      {parts.map(([look, words]) => (
        <span key={words}>
          <i className={`${styles.swatch} ${look}`} /> {words}
        </span>
      ))}
    </span>
  );
}
