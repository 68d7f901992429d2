/** What a run is: its state, type, dates, version, conf, note, and how far it is. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runTasksQuery } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { HowLong } from "../../components/Ago";
import { Interval } from "../../components/Interval";
import { JsonTree } from "../../components/JsonTree";
import { NoteEditor } from "../../components/NoteEditor";
import { StateBadge, typeName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { VersionLink } from "../../components/VersionLink";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { Counts } from "./TaskList";
import styles from "./run.module.css";

export function RunHead({ run }: { run: DagRun }) {
  const counts = useQuery(runTasksQuery(run.dag_id, run.dag_run_id)).data?.tasks.reduce<Record<string, number>>(
    (sum, task) => {
      for (const [state, count] of Object.entries(task.counts)) sum[state] = (sum[state] ?? 0) + count;
      return sum;
    },
    {},
  );
  const type = t("{type} run", { type: typeName(run.run_type) });
  return (
    <div className="head">
      <p>
        <StateBadge state={run.state} />{" "}
        {run.triggering_user_name
          ? t("{type} run by {user}", { type: typeName(run.run_type), user: run.triggering_user_name })
          : type}
        {counts && (
          <>
            {" "}
            · {t("tasks:")} <Counts counts={counts} />
          </>
        )}
      </p>
      <RunEvents run={run} />
      <dl className="facts">
        <div>
          <dt>{t("Data interval")}</dt>
          <dd>
            <Interval start={run.data_interval_start} end={run.data_interval_end} />
          </dd>
        </div>
        <div>
          <dt>{t("Logical date")}</dt>
          <dd>
            <Time at={run.logical_date} />
          </dd>
        </div>
        <div>
          <dt>{t("Version")}</dt>
          <dd>
            {(run.dag_versions ?? []).length === 0
              ? "–"
              : run.dag_versions?.map((one) => (
                  <span key={one.version_number}>
                    <VersionLink dagId={run.dag_id} version={one.version_number} />{" "}
                  </span>
                ))}
          </dd>
        </div>
        {run.partition_key && (
          <div>
            <dt>{t("Partition")}</dt>
            <dd className="name">{run.partition_key}</dd>
          </div>
        )}
      </dl>
      {run.conf && Object.keys(run.conf).length > 0 && (
        <details open>
          <summary>{t("Parameters")}</summary>
          <JsonTree value={run.conf} />
        </details>
      )}
      <NoteEditor place={{ dagId: run.dag_id, runId: run.dag_run_id }} note={run.note} />
    </div>
  );
}

/** The life of the run as events, each with the time since the one before. */
function RunEvents({ run }: { run: DagRun }) {
  const events = [
    { name: t("due"), at: run.run_after },
    { name: t("queued"), at: run.queued_at },
    { name: t("started"), at: run.start_date },
    { name: t("ended"), at: run.end_date },
  ]
    .filter((one): one is { name: string; at: string } => Boolean(one.at))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <ol className={styles.events} aria-label={t("Events of the run")}>
      {events.map((one, at) => {
        const before = events[at - 1];
        const span = before ? (Date.parse(one.at) - Date.parse(before.at)) / 1000 : 0;
        return (
          <li key={one.name}>
            <b>{one.name}</b> <Time at={one.at} />
            {before && <span className="soft"> (+{formatDuration(span)})</span>}
          </li>
        );
      })}
      {run.state === "running" && run.start_date && (
        <li>
          <b>{t("running")}</b> <HowLong since={run.start_date} />
        </li>
      )}
      <li className={styles.moreEvents}>
        <Link to="/dags/$dagId/audit" params={{ dagId: run.dag_id }} search={{ run: run.dag_run_id }}>
          {t("All events")}
        </Link>
      </li>
    </ol>
  );
}
