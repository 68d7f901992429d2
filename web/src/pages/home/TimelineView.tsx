/** The past hours and the coming 24 on one line, for groups of DAGs: what ended well, what failed, what is due. Dense schedules are numbers an hour. */

import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { type Grouping, GROUPINGS } from "../../api/overviews";
import type { Timeline, TimelineGroup } from "../../api/shapes";
import { Ago } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { stateName } from "../../components/StateBadge";
import { t, tn } from "../../state/language";
import { formatShort } from "../../state/numbers";
import { shortPath } from "../../state/paths";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon, CloseIcon } from "../../ui/icons";
import { formatTime, formatWeekday, useZone, type Zone } from "../../state/times";
import type { HomeView } from "./homeView";
import homeStyles from "./home.module.css";

const HOUR_MS = 3_600_000;
const LABELS: Record<Grouping, string> = {
  tag: /* text */ "tag",
  owner: /* text */ "owner",
  folder: /* text */ "folder",
  pool: /* text */ "pool",
  state: /* text */ "state of the last run",
  dag: /* text */ "DAG",
};

export function TimelineView({ view, query }: { view: HomeView; query: UseQueryResult<Timeline> }) {
  const group = view.group ?? "tag";
  return (
    <section aria-labelledby="timeline" className={homeStyles.card}>
      <header>
        <h2 id="timeline">{t("The coming 24 hours, and the past 6")}</h2>
        <nav className={homeStyles.choices} aria-label={t("Grouped by")}>
          {GROUPINGS.map((one) => (
            <Link
              key={one}
              to="/"
              search={{ ...view, group: one === "tag" ? undefined : one }}
              resetScroll={false}
              aria-current={one === group ? "true" : undefined}
            >
              {t(LABELS[one])}
            </Link>
          ))}
          {view.within && view.value !== undefined && (
            <Link
              to="/"
              search={{
                ...view,
                within: undefined,
                value: undefined,
                group: view.within === "tag" ? undefined : view.within,
              }}
              resetScroll={false}
              className={homeStyles.only}
            >
              {t("only {what} {value}", { what: t(LABELS[view.within]), value: showName(view.within, view.value) })}{" "}
              <CloseIcon size={12} aria-hidden="true" />
            </Link>
          )}
        </nav>
      </header>
      <Answer query={query} what={t("the time line")}>
        {(found) => (
          <>
            {found.groups.length ? (
              <Hours found={found} group={group} view={view} />
            ) : (
              <EmptyState icon={ClockIcon} title={t("No run ended, and none is due.")} />
            )}
            {found.left_out > 0 && (
              <p className="soft">
                {tn("{count} more group has fewer runs.", "{count} more groups have fewer runs.", found.left_out)}
              </p>
            )}
            {found.unknown > 0 && (
              <p className="soft">
                {tn(
                  "Of {count} DAG only the next run is known: its timetable is of an author, or is not computed yet.",
                  "Of {count} DAGs only the next run is known: their timetables are of authors, or are not computed yet.",
                  found.unknown,
                )}
              </p>
            )}
            <Coming found={found} />
          </>
        )}
      </Answer>
    </section>
  );
}

function Hours({ found, group, view }: { found: Timeline; group: Grouping; view: HomeView }) {
  const zone = useZone();
  const start = Date.parse(found.since);
  const current = Math.floor((Date.parse(found.at) - start) / HOUR_MS);
  const hours = Array.from({ length: found.hours }, (_, at) => new Date(start + at * HOUR_MS).toISOString());
  const most = Math.max(1, ...found.groups.flatMap((one) => hours.map((_, at) => sum(one, at))));
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scroll = requestAnimationFrame(() => {
      // the frame lays the document out anyway
      const now = frame.current?.querySelector<HTMLElement>(`th.${homeStyles.now}`);
      const names = frame.current?.querySelector<HTMLElement>("th");
      if (frame.current && now && names)
        frame.current.scrollLeft = now.offsetLeft - names.offsetWidth - now.offsetWidth;
    });
    return () => cancelAnimationFrame(scroll);
  }, [current]);
  return (
    <div ref={frame} className={`scroll ${homeStyles.timeline}`} tabIndex={0} role="region" aria-label={t("Time line")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t(LABELS[group])}</th>
            {hours.map((hour, at) => (
              <th
                key={hour}
                scope="col"
                className={at === current ? homeStyles.now : undefined}
                title={formatTime(hour, zone)}
              >
                {at === current ? t("now") : showHour(hour, zone)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.groups.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <GroupLink group={group} name={one.name} view={view} />
                {one.late > 0 && (
                  <Link
                    to="/dags"
                    search={{ late: true, ...(group === "tag" && one.name ? { tag: [one.name] } : {}) }}
                    className="bad block small"
                  >
                    {t("{count} late", { count: one.late })}
                  </Link>
                )}
              </th>
              {hours.map((hour, at) => (
                <Hour key={hour} group={one} at={at} most={most} isNow={at === current} hour={hour} zone={zone} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Hour({
  group,
  at,
  most,
  isNow,
  hour,
  zone,
}: {
  group: TimelineGroup;
  at: number;
  most: number;
  isNow: boolean;
  hour: string;
  zone: Zone;
}) {
  const [success, failed, coming] = [group.success[at] ?? 0, group.failed[at] ?? 0, group.coming[at] ?? 0];
  const until = new Date(Date.parse(hour) + HOUR_MS).toISOString();
  const about = [
    formatTime(hour, zone),
    success && t("{count} succeeded", { count: success }),
    failed && t("{count} failed", { count: failed }),
    coming && t("{count} due", { count: coming }),
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <td className={isNow ? homeStyles.now : undefined} title={success + failed + coming > 0 ? about : undefined}>
      <span className={homeStyles.hourBar} aria-hidden="true">
        {failed > 0 && <i className={homeStyles.failed} style={{ height: scale(failed, most) }} />}
        {success > 0 && <i className={homeStyles.success} style={{ height: scale(success, most) }} />}
        {coming > 0 && <i className={homeStyles.coming} style={{ height: scale(coming, most) }} />}
      </span>
      {failed > 0 && (
        <Link
          to="/runs"
          search={{ state: ["failed"], from: hour, to: until }}
          className="bad"
          aria-label={t("{count} failed", { count: failed })}
        >
          ✕{formatShort(failed)}
        </Link>
      )}
      {success > 0 && (
        <span className="good">
          <span aria-hidden="true">✓</span>
          {formatShort(success)}
          <span className="unseen"> {t("succeeded")}</span>
        </span>
      )}
      {coming > 0 && (
        <span>
          {formatShort(coming)}
          <span className="unseen"> {t("due")}</span>
        </span>
      )}
    </td>
  );
}

function GroupLink({ group, name, view }: { group: Grouping; name: string; view: HomeView }) {
  if (group === "dag")
    return (
      <Link to="/dags/$dagId" params={{ dagId: name }} search={{}} className="name" preload={false}>
        {name}
      </Link>
    );
  if (!name || group === "pool") return <span className="name">{name || t("(none)")}</span>;
  return (
    <Link
      to="/"
      search={{ ...view, group: "dag", within: group, value: name }}
      resetScroll={false}
      className="name"
      title={name}
    >
      {showName(group, name)}
    </Link>
  );
}

function showName(group: Grouping, name: string): string {
  return group === "state" ? stateName(name) : group === "folder" ? shortPath(name) : name;
}

function Coming({ found }: { found: Timeline }) {
  if (found.coming.length === 0) return null;
  return (
    <>
      <h3>{t("Next runs")}</h3>
      <ol className={homeStyles.nextRuns}>
        {found.coming.map((one) => (
          <li key={`${one.dag_id} ${one.run_after}`}>
            <Ago at={one.run_after} />{" "}
            <Link to="/dags/$dagId" params={{ dagId: one.dag_id }} search={{}} className="name" preload={false}>
              {one.dag_id}
            </Link>
          </li>
        ))}
      </ol>
    </>
  );
}

function sum(group: TimelineGroup, at: number): number {
  return (group.success[at] ?? 0) + (group.failed[at] ?? 0) + (group.coming[at] ?? 0);
}

/** High enough to be seen for one run; by the logarithm, so that one run stands beside a thousand. */
function scale(count: number, most: number): string {
  return `${4 + Math.round((26 * Math.log1p(count)) / Math.log1p(most))}px`;
}

/** `06`, and for the first hour of a day its day. */
function showHour(hour: string, zone: Zone): string {
  const clock = formatTime(hour, zone).slice(11, 16);
  if (clock.startsWith("00")) return formatWeekday(hour, zone);
  return clock.endsWith(":00") ? clock.slice(0, 2) : clock;
}
