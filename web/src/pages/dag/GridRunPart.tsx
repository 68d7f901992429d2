/** A run in the sheet beside the grid: its times, why it waits or how it ended, its acts, its tasks. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { runExplanationQuery, runQuery } from "../../api/queries";
import { type RunTasks, runTasksQuery } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { ActMenu } from "../../components/ActMenu";
import { HowLong, usePresent } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { Interval } from "../../components/Interval";
import { JsonTree } from "../../components/JsonTree";
import { SentenceList } from "../../components/Sentences";
import { StateBadge, typeName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { VersionLink } from "../../components/VersionLink";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { FAILED_AGAIN, listRunChoices } from "../run/runChoices";
import { countFailed, sumCounts } from "../run/runCounts";
import { durationOf, FAILED, FINISHED, type Instance, readInstances } from "../run/taskRows";
import styles from "./gridSheet.module.css";

const SHOWN_MAX = 300;

interface RunPartProps {
  dagId: string;
  runId: string;
  openTask: (taskId: string, map: number | undefined) => void;
}

export function GridRunPart({ dagId, runId, openTask }: RunPartProps) {
  const why = useQuery(runExplanationQuery(dagId, runId)).data?.coded ?? [];
  const tasks = useQuery(runTasksQuery(dagId, runId));
  const failed = tasks.data ? countFailed(sumCounts(tasks.data)) : 0;
  return (
    <Answer query={useQuery(runQuery(dagId, runId))} what={t("the run")}>
      {(run) => (
        <>
          <RunFacts run={run} />
          {why.length > 0 && <SentenceList className={styles.why} sentences={why} />}
          <div className={styles.state}>
            <ActMenu
              target={{ dagId, runId }}
              choices={listRunChoices(run.state).filter((one) => one.act !== "delete")}
              scopes={["onlyFailed", "otherDags"]}
              first={
                failed > 0
                  ? { choice: FAILED_AGAIN, words: tn("Run {count} failed again", "Run {count} failed again", failed) }
                  : undefined
              }
              isSmall
            />
          </div>
          {run.conf && Object.keys(run.conf).length > 0 && (
            <details>
              <summary>{t("Parameters")}</summary>
              <JsonTree value={run.conf} />
            </details>
          )}
          <h3>{t("Tasks")}</h3>
          <Answer query={tasks} what={t("the tasks")}>
            {(found) => <TaskRows found={found} openTask={openTask} />}
          </Answer>
        </>
      )}
    </Answer>
  );
}

function RunFacts({ run }: { run: DagRun }) {
  const type = t("{type} run", { type: typeName(run.run_type) });
  return (
    <>
      <p className={styles.state}>
        <StateBadge state={run.state} />
        {run.duration !== null && <span>{formatDuration(run.duration)}</span>}
        {run.state === "running" && run.start_date && <HowLong since={run.start_date} />}
        <span className="soft">
          {run.triggering_user_name
            ? t("{type} run by {user}", { type: typeName(run.run_type), user: run.triggering_user_name })
            : type}
        </span>
      </p>
      <dl>
        <dt>{t("due")}</dt>
        <dd>
          <Time at={run.run_after} />
        </dd>
        {run.start_date && (
          <>
            <dt>{t("started")}</dt>
            <dd>
              <Time at={run.start_date} />
            </dd>
          </>
        )}
        {run.end_date && (
          <>
            <dt>{t("ended")}</dt>
            <dd>
              <Time at={run.end_date} />
            </dd>
          </>
        )}
        {run.logical_date && (
          <>
            <dt>{t("Data interval")}</dt>
            <dd>
              <Interval start={run.data_interval_start} end={run.data_interval_end} />
            </dd>
          </>
        )}
        {(run.dag_versions ?? []).length > 0 && (
          <>
            <dt>{t("Version")}</dt>
            <dd>
              {run.dag_versions?.map((one) => (
                <VersionLink key={one.version_number} dagId={run.dag_id} version={one.version_number} />
              ))}
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** What has failed comes first, then what has not ended. */
function TaskRows({ found, openTask }: { found: RunTasks; openTask: RunPartProps["openTask"] }) {
  const rows = useMemo(() => readInstances(found).toSorted((one, other) => rank(one) - rank(other)), [found]);
  return (
    <>
      <ul className={styles.rows} aria-label={t("Task instances")}>
        {rows.slice(0, SHOWN_MAX).map((one) => (
          <InstanceRow
            key={`${one.task.task_id} ${one.mapIndex}`}
            instance={one}
            open={() => openTask(one.task.task_id, one.mapIndex < 0 ? undefined : one.mapIndex)}
          />
        ))}
      </ul>
      {rows.length > SHOWN_MAX && (
        <p className="soft">{t("The first {shown} of {total} are shown.", { shown: SHOWN_MAX, total: rows.length })}</p>
      )}
    </>
  );
}

function rank({ state }: Instance): number {
  return FAILED.includes(state ?? "") ? 0 : FINISHED.includes(state ?? "") ? 2 : 1;
}

/** A line that opens a task instance in the sheet. */
export function InstanceRow({ instance, open }: { instance: Instance; open: () => void }) {
  const { task, mapIndex, rendered, state } = instance;
  const duration = durationOf(instance, usePresent() / 1000);
  return (
    <li>
      <button type="button" onClick={open}>
        <span className={styles.rowName}>
          {task.task_id}
          {mapIndex >= 0 && ` [${mapIndex}]`}
          {rendered !== null && <span className="soft"> {rendered}</span>}
        </span>
        {duration !== null && <span className="soft">{formatDuration(duration)}</span>}
        <StateBadge state={state} />
      </button>
    </li>
  );
}
