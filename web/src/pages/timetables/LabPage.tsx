/** Try a schedule: its year, its next slots, and what changes if another one takes its place. All of it is in the address. */

import { Sentence } from "../../components/Sentences";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { dayCountsQuery, differenceQuery, type Preview, previewQuery, type Schedule } from "../../api/across";
import { ApiError } from "../../api/client";
import { Failure } from "../../components/Answer";
import { addDays } from "../../state/zonedTimes";
import { t } from "../../state/language";
import { Button, IconButton } from "../../ui/Button";
import { EarlierIcon, LaterIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";
import { DifferenceLists } from "./DifferenceLists";
import { buildSchedule, type LabView, readFields, type ScheduleFields, writeFields } from "./labView";
import { ScheduleForm } from "./ScheduleForm";
import { SlotTable } from "./SlotTable";
import { findYear, listYearDays } from "./yearDays";
import { YearSheet } from "./YearSheet";
import styles from "./lab.module.css";

const NEXT = 20;
const DAY_SLOTS = 200;

const route = getRouteApi("/timetables");

export function LabPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: LabView) =>
    void navigate({ to: "/timetables", search: { ...view, ...some }, replace: true, resetScroll: false });
  const first = readFields(view, "") as ScheduleFields;
  const second = readFields(view, "2");
  const before = useBody(first);
  const after = useBody(second);
  const year = findYear(view.from, new Date());
  const from = `${year.from}T00:00:00`;
  const to = `${year.to}T00:00:00`;
  const next = useQuery(previewQuery(before.schedule, undefined, undefined, NEXT));
  const other = useQuery(previewQuery(after.schedule, undefined, undefined, NEXT));
  const counts = useQuery(dayCountsQuery(before.schedule, from, to));
  const difference = useQuery(differenceQuery(before.schedule, after.schedule, from, to));
  const shownDifference = second && !difference.isError ? difference.data : undefined;
  const days = useMemo(
    () => (counts.data ? listYearDays(counts.data, shownDifference, year.from, year.to) : []),
    [counts.data, shownDifference, year.from, year.to],
  );
  return (
    <>
      <PageHeader
        title={t("Timetable lab")}
        facts={<span>{t("see the year of a schedule, and compare it with another")}</span>}
        acts={
          second ? (
            <>
              <Button onClick={() => set({ ...writeFields(second, ""), ...writeFields(first, "2") })}>
                {t("Swap them")}
              </Button>
              <Button onClick={() => set(writeFields(undefined, "2"))}>{t("Stop the comparison")}</Button>
            </>
          ) : (
            <Button onClick={() => set(writeFields({ ...first }, "2"))}>{t("Compare with another schedule")}</Button>
          )
        }
      />
      <form className={styles.forms} onSubmit={(event) => event.preventDefault()}>
        <ScheduleForm
          label={second ? t("Schedule now") : t("Schedule")}
          fields={first}
          fault={before.fault ?? readFault(next)}
          set={(fields) => set(writeFields(fields, ""))}
        />
        {second && (
          <ScheduleForm
            label={t("Schedule instead")}
            fields={second}
            fault={after.fault ?? readFault(other)}
            set={(fields) => set(writeFields(fields, "2"))}
          />
        )}
      </form>
      {before.isEmpty && <Examples />}
      {[next, counts, difference].map(
        (query, at) =>
          query.isError &&
          !isRefusal(query.error) && (
            <Failure
              key={at}
              what={t("the schedule")}
              error={query.error as Error}
              retry={() => void query.refetch()}
            />
          ),
      )}
      {before.schedule && next.data && !next.isError && (
        <Words preview={next.data} other={second && !other.isError ? other.data : undefined} />
      )}
      {second && before.schedule && after.schedule && difference.data && !difference.isError && (
        <DifferenceLists difference={difference.data} />
      )}
      {before.schedule && !next.isError && counts.data && (
        <section>
          <div className={styles.head}>
            <h2>{t("The year")}</h2>
            <IconButton
              icon={EarlierIcon}
              label={t("Year before")}
              onClick={() => set({ from: moveYear(year.from, -1) })}
            />
            <input
              type="date"
              aria-label={t("From")}
              value={year.from}
              min="1901-01-01"
              max="8998-12-31"
              onChange={(event) => set({ from: event.target.value || undefined })}
            />
            <IconButton
              icon={LaterIcon}
              label={t("Year after")}
              onClick={() => set({ from: moveYear(year.from, 1) })}
            />
          </div>
          {counts.data.stop_reason && <p className="notice">{counts.data.stop_reason}</p>}
          <YearSheet
            days={days}
            chosen={view.day}
            choose={(day) => set({ day: day === view.day ? undefined : day })}
            isStale={counts.isPlaceholderData}
          />
        </section>
      )}
      {before.schedule && view.day && !next.isError && <DaySlots schedule={before.schedule} day={view.day} />}
      {before.schedule && next.data && !next.isError && (
        <section>
          <h2>{t("Next slots")}</h2>
          {next.data.stop_reason && <p className="notice">{next.data.stop_reason}</p>}
          <SlotTable slots={next.data.slots} />
        </section>
      )}
    </>
  );
}

/** The body of the request, the same object as long as the fields are the same. */
function useBody(fields: ScheduleFields | undefined) {
  const key = JSON.stringify(fields);
  return useMemo(() => buildSchedule(key === undefined ? undefined : (JSON.parse(key) as ScheduleFields)), [key]);
}

function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/** What the server finds wrong with a schedule. */
function readFault(query: UseQueryResult<Preview>): string | undefined {
  return query.isError && isRefusal(query.error) ? query.error.message : undefined;
}

function Words({ preview, other }: { preview: Preview; other: Preview | undefined }) {
  return (
    <section className={`why ${styles.words}`} aria-label={t("What it means")}>
      {[preview, ...(other ? [other] : [])].map((one, at) => (
        <p key={at}>
          <b className="name">
            <Sentence {...one.summary} />
          </b>{" "}
          {one.description && <Sentence {...one.description} />}{" "}
          <span className="soft">{t("times of {zone}", { zone: one.timezone })}</span>
        </p>
      ))}
    </section>
  );
}

function DaySlots({ schedule, day }: { schedule: Schedule; day: string }) {
  const query = useQuery(previewQuery(schedule, `${day}T00:00:00`, `${addDays(day, 1)}T00:00:00`, DAY_SLOTS));
  if (!query.data || query.isError || query.isPlaceholderData) return null;
  const reason = query.data.skipped[0]?.reason;
  return (
    <section>
      <h2>{t("Slots of {day}", { day })}</h2>
      {query.data.slots.length > 0 ? (
        <SlotTable slots={query.data.slots} />
      ) : (
        <p>{reason ? t("No slot: {reason}", { reason }) : t("No slot on this day.")}</p>
      )}
      {query.data.slots.length >= DAY_SLOTS && (
        <p className="soft">{t("Only the first {count} are shown.", { count: DAY_SLOTS })}</p>
      )}
    </section>
  );
}

function Examples() {
  const examples: [string, LabView][] = [
    [
      t("each weekday at six in Berlin, compared with seven"),
      { cron: "0 6 * * 1-5", zone: "Europe/Berlin", kind2: "cron", cron2: "0 7 * * 1-5", zone2: "Europe/Berlin" },
    ],
    [t("the last day of each month"), { cron: "0 6 L * *" }],
    [t("half past two at night, where the clocks change"), { cron: "30 2 * * *", zone: "America/New_York" }],
    [
      t("at two, five and fifteen"),
      { kind: "timetable", path: "DiscreteHours", data: '{"hours": [2, 5, 15], "minute": 0, "timezone": "UTC"}' },
    ],
  ];
  return (
    <section>
      <p>{t("Type a schedule, or begin with one of these:")}</p>
      <ul className="lines">
        {examples.map(([words, search]) => (
          <li key={words}>
            <Link to="/timetables" search={search}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function moveYear(from: string, years: number): string {
  const moved = `${String(Number(from.slice(0, 4)) + years).padStart(4, "0")}${from.slice(4)}`;
  return moved.endsWith("-02-29") ? `${moved.slice(0, 5)}02-28` : moved;
}
