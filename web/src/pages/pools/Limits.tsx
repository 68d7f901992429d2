/** The limits of DAGs, runs and tasks that are in use, and the workers with their slots. */

import { useQuery } from "@tanstack/react-query";
import { type LimitUse, limitsQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { DagLink, PlaceLinks, RunLink } from "../../components/Names";
import { StackTable } from "../../components/StackTable";
import { t, tn } from "../../state/language";
import { Card } from "../../ui/Card";
import { EmptyState } from "../../ui/EmptyState";
import { Meter } from "../../ui/Meter";
import styles from "./pools.module.css";

export function Limits() {
  return (
    <Answer query={useQuery(limitsQuery())} what={t("the limits")}>
      {(answer) => (
        <>
          <h2>{t("Limits of DAGs, runs and tasks")}</h2>
          {!answer.complete && <p className="notice">{t("There is too much unfinished work to show all limits.")}</p>}
          {answer.limits.length === 0 ? (
            <EmptyState isSmall title={t("No limit is in use: nothing runs and nothing waits.")} />
          ) : (
            <LimitTables limits={answer.limits} />
          )}
          <div className={styles.workers}>
            <Card title={t("Workers")}>
              {answer.parallelism !== null && answer.live_attempts !== null && (
                <p className={styles.load}>
                  <Meter used={answer.live_attempts} slots={answer.parallelism} />{" "}
                  {t("{used} of {slots} tasks run at the same time ([core] parallelism)", {
                    used: answer.live_attempts,
                    slots: answer.parallelism,
                  })}
                </p>
              )}
              {answer.workers.length === 0 ? (
                <p className="notice">
                  {t("No worker is alive: tasks wait in their queue.")} <code>gnomon worker</code>
                </p>
              ) : (
                <ul className="lines">
                  {answer.workers.map((one) => (
                    <li key={one.worker} className={styles.worker}>
                      <b className="name">{one.worker}</b>
                      {one.used === null ? (
                        <span>{tn("{count} slot|pool", "{count} slots|pool", one.slots)}</span>
                      ) : (
                        <span className={styles.load}>
                          <Meter used={one.used} slots={one.slots} />{" "}
                          {t("{free} of {slots} slots are free", { free: one.slots - one.used, slots: one.slots })}
                        </span>
                      )}
                      <span className="soft">{one.host}</span>
                    </li>
                  ))}
                </ul>
              )}
            </Card>
          </div>
        </>
      )}
    </Answer>
  );
}

/** Those that are full or waited for; those with room fold behind their number, unless there is nothing else. */
function LimitTables({ limits }: { limits: LimitUse[] }) {
  const tight = limits.filter((one) => one.waiting > 0 || one.used >= one.limit);
  const free = limits.filter((one) => !tight.includes(one));
  if (free.length === 0) return <LimitTable limits={tight} />;
  return (
    <>
      {tight.length > 0 && <LimitTable limits={tight} />}
      <details className={styles.free}>
        <summary>{tn("{count} limit with room", "{count} limits with room", free.length)}</summary>
        <LimitTable limits={free} />
      </details>
    </>
  );
}

function LimitTable({ limits }: { limits: LimitUse[] }) {
  return (
    <StackTable
      label={t("Limits of DAGs, runs and tasks")}
      headings={[t("DAG"), t("Limit"), t("Used"), t("Hold"), t("Wait")]}
    >
      {limits.map((one) => (
        <LimitRow key={`${one.dag_id} ${one.run_id} ${one.name}`} one={one} />
      ))}
    </StackTable>
  );
}

function LimitRow({ one }: { one: LimitUse }) {
  return (
    <tr>
      <td>
        <DagLink dagId={one.dag_id} />
        {one.run_id && (
          <span className="block">
            <RunLink dagId={one.dag_id} runId={one.run_id} />
          </span>
        )}
      </td>
      <td>{one.name}</td>
      <td>
        <span className={styles.load}>
          <Meter used={one.used} slots={one.limit} /> {one.used} / {one.limit}
        </span>
      </td>
      <td>
        <LimitUsers users={one.holders} count={one.used} />
      </td>
      <td>
        {one.waiting > 0 ? (
          <LimitUsers users={one.waiters} count={one.waiting} />
        ) : (
          <span className="soft none">–</span>
        )}
      </td>
    </tr>
  );
}

function LimitUsers({ users, count }: { users: LimitUse["holders"]; count: number }) {
  if (users.length === 0) return <span>{count}</span>;
  return (
    <details>
      <summary>{count}</summary>
      <ul className="lines">
        {users.map((one) => (
          <li key={`${one.run_id} ${one.task_id} ${one.map_index}`}>
            {one.task_id === null ? (
              <RunLink dagId={one.dag_id} runId={one.run_id} />
            ) : (
              <PlaceLinks dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
