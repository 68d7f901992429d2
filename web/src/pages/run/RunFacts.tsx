/** The facts of a run in a line; the rare ones behind "Details". */

import { Link } from "@tanstack/react-router";
import type { DagRun } from "../../api/shapes";
import { usePresent } from "../../components/Ago";
import { Interval } from "../../components/Interval";
import { JsonTree } from "../../components/JsonTree";
import { typeName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { useNarrow } from "../../components/useNarrow";
import { VersionLink } from "../../components/VersionLink";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { Popover } from "../../ui/Popover";
import { CopyName } from "../dag/CopyName";
import { RunDifferences } from "./RunDifferences";
import styles from "./run.module.css";
import { sumCounts, useRunTasks } from "./runCounts";
import { Counts } from "./TaskList";

export function RunFacts({ run }: { run: DagRun }) {
  const isNarrow = useNarrow();
  const found = useRunTasks(run);
  const now = usePresent();
  const type = typeName(run.run_type);
  const user = run.triggering_user_name;
  const conf = Object.keys(run.conf ?? {}).length;
  const seconds = run.start_date
    ? ((run.end_date ? Date.parse(run.end_date) : now) - Date.parse(run.start_date)) / 1000
    : undefined;
  return (
    <>
      <span>
        {run.start_date ? (
          <>
            {t("started")} <Time at={run.start_date} />
          </>
        ) : (
          <>
            {t("due")} <Time at={run.run_after} />
          </>
        )}
      </span>
      {seconds !== undefined && <span>{formatDuration(Math.max(0, seconds))}</span>}
      {!isNarrow && (
        <>
          <span>{user ? t("{type} run by {user}", { type, user }) : t("{type} run", { type })}</span>
          {(run.dag_versions ?? []).length > 0 && (
            <span>
              {run.dag_versions?.map((one) => (
                <Link
                  key={one.version_number}
                  to="/dags/$dagId/code"
                  params={{ dagId: run.dag_id }}
                  search={{ version: one.version_number }}
                >
                  {t("version {number}", { number: one.version_number })}
                </Link>
              ))}
            </span>
          )}
          {found && (
            <span>
              <Counts counts={sumCounts(found)} />
            </span>
          )}
        </>
      )}
      <span className={styles.details}>
        <Popover
          isSmall
          look="quiet"
          label={conf > 0 && !isNarrow ? tn("Details, {count} param", "Details, {count} params", conf) : t("Details")}
        >
          <RunDetails run={run} />
        </Popover>
      </span>
      <span className={isNarrow ? styles.details : undefined}>
        <RunDifferences run={run} />
      </span>
    </>
  );
}

function RunDetails({ run }: { run: DagRun }) {
  return (
    <>
      {run.conf && Object.keys(run.conf).length > 0 && (
        <section>
          <h3>{t("Parameters")}</h3>
          <JsonTree value={run.conf} />
        </section>
      )}
      <dl>
        <dt>{t("Run id")}</dt>
        <dd>
          <span className="name">{run.dag_run_id}</span> <CopyName name={run.dag_run_id} />
        </dd>
        <dt>{t("Type")}</dt>
        <dd>{typeName(run.run_type)}</dd>
        {listEvents(run).map(({ name, at, span }) => (
          <EventRow key={name} name={name} at={at} span={span} />
        ))}
        <dt>{t("Data interval")}</dt>
        <dd>
          <Interval start={run.data_interval_start} end={run.data_interval_end} />
        </dd>
        <dt>{t("Logical date")}</dt>
        <dd>
          <Time at={run.logical_date} isExact />
        </dd>
        <dt>{t("Version")}</dt>
        <dd>
          {(run.dag_versions ?? []).length === 0
            ? "–"
            : run.dag_versions?.map((one) => (
                <VersionLink key={one.version_number} dagId={run.dag_id} version={one.version_number} />
              ))}
        </dd>
        {run.partition_key && (
          <>
            <dt>{t("Partition")}</dt>
            <dd className="name">{run.partition_key}</dd>
          </>
        )}
      </dl>
      <Link to="/dags/$dagId/audit" params={{ dagId: run.dag_id }} search={{ run: run.dag_run_id }}>
        {t("All events")}
      </Link>
    </>
  );
}

interface RunEvent {
  name: string;
  at: string;
  /** Seconds since the event before; undefined: it is the first. */
  span: number | undefined;
}

function EventRow({ name, at, span }: RunEvent) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Time at={at} isExact />
        {span !== undefined && <span className="soft"> (+{formatDuration(span)})</span>}
      </dd>
    </>
  );
}

/** The life of the run, each event with the time since the one before. */
function listEvents(run: DagRun): RunEvent[] {
  const events = [
    { name: t("due"), at: run.run_after },
    { name: t("queued"), at: run.queued_at },
    { name: t("started"), at: run.start_date },
    { name: t("ended"), at: run.end_date },
  ]
    .filter((one): one is { name: string; at: string } => Boolean(one.at))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return events.map((one, at) => {
    const before = events[at - 1];
    return { ...one, span: before && (Date.parse(one.at) - Date.parse(before.at)) / 1000 };
  });
}
