/** A DAG of which runs failed: the newest of them with its reason, and the act that lets it run again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { doAct } from "../../api/acts";
import type { FailedDag } from "../../api/shapes";
import { Act } from "../../components/Act";
import { Ago } from "../../components/Ago";
import { RunLink } from "../../components/Names";
import { Sentence } from "../../components/Sentences";
import { t, tn } from "../../state/language";
import { markKey, setSeen, useSeenMarks } from "../../state/seenMarks";
import { showRunToast, showToast } from "../../state/toasts";
import { Button, IconButton } from "../../ui/Button";
import { AgainIcon, CheckIcon, SeenIcon } from "../../ui/icons";
import { mark, toSeen } from "./failureMarks";
import { StateLink } from "./Lines";
import styles from "./home.module.css";

type FailedRun = FailedDag["failures"][number];

export function Failure({ failure, since }: { failure: FailedDag; since: string }) {
  const isSeen = useSeenMarks().has(markKey(toSeen(failure)));
  const [newest, ...earlier] = failure.failures;
  if (!newest) return null;
  return (
    <li className={`${styles.row} ${styles.failure} ${failure.is_broken ? "" : styles.healed}`}>
      <div className={styles.what}>
        <span className={styles.place}>
          <StateLink dagId={failure.dag_id} runId={newest.run_id} state="failed" />
          <Link to="/dags/$dagId" params={{ dagId: failure.dag_id }} search={{}} className="name strong">
            {failure.dag_id}
          </Link>
          <RunLink dagId={failure.dag_id} runId={newest.run_id} />
          <span className="soft">
            {t("ended")} <Ago at={newest.ended_at} />
          </span>
          {failure.runs > 1 && (
            <Link to="/runs" search={{ dag_id: failure.dag_id, state: ["failed"], from: since }}>
              {t("{count} runs failed", { count: failure.runs })}
            </Link>
          )}
          {failure.healed_by && (
            <span className="good">
              {t("healed by")} <RunLink dagId={failure.dag_id} runId={failure.healed_by} />
            </span>
          )}
        </span>
        <Reasons dagId={failure.dag_id} run={newest} />
        {earlier.length > 0 && (
          <details>
            <summary>{tn("{count} earlier failed run", "{count} earlier failed runs", earlier.length)}</summary>
            {earlier.map((run) => (
              <div key={run.run_id} className={styles.earlier}>
                <RunLink dagId={failure.dag_id} runId={run.run_id} />{" "}
                <span className="soft">
                  {t("ended")} <Ago at={run.ended_at} />
                </span>
                <Reasons dagId={failure.dag_id} run={run} />
              </div>
            ))}
          </details>
        )}
      </div>
      {failure.is_broken && <RunAgain dagId={failure.dag_id} run={newest} />}
      <IconButton
        icon={isSeen ? SeenIcon : CheckIcon}
        isSmall
        label={isSeen ? t("{dag} is not seen", { dag: failure.dag_id }) : t("{dag} is seen", { dag: failure.dag_id })}
        onClick={() => (isSeen ? setSeen([toSeen(failure)], false) : mark([failure]))}
      />
    </li>
  );
}

/** Clears the failed tasks of the run, and what did not run because of them. */
function RunAgain({ dagId, run }: { dagId: string; run: FailedRun }) {
  const client = useQueryClient();
  const clear = useMutation({
    mutationFn: () => doAct("clear", { dagId, runId: run.run_id }, { onlyFailed: true }),
    onSuccess: () => {
      showRunToast(t("What failed in {dag} runs again.", { dag: dagId }), [{ dagId, runId: run.run_id }]);
      return Promise.all([
        client.invalidateQueries({ queryKey: ["failures"] }),
        client.invalidateQueries({ queryKey: ["work"] }),
      ]);
    },
    onError: (fault) => showToast(`${dagId}: ${fault.message}`, undefined, true),
  });
  return (
    <Act dagId={dagId}>
      <Button
        icon={AgainIcon}
        isSmall
        isBusy={clear.isPending}
        aria-label={t("Run failed again: {dag}", { dag: dagId })}
        onClick={() => clear.mutate()}
      >
        {t("Run failed again")}
      </Button>
    </Act>
  );
}

/** Each task that failed in the run with its error on one line; else why the run failed. */
function Reasons({ dagId, run }: { dagId: string; run: FailedRun }) {
  const params = { dagId, runId: run.run_id };
  return (
    <>
      {run.tasks.map((one) => {
        const name = one.map_index < 0 ? one.task_id : `${one.task_id} [${one.map_index}]`;
        return (
          <span
            key={`${one.task_id} ${one.map_index}`}
            className={styles.failedTask}
            title={one.error ? `${name}: ${one.error}` : name}
          >
            <Link
              to="/dags/$dagId/runs/$runId/tasks/$taskId"
              params={{ ...params, taskId: one.task_id }}
              className="name"
              search={{ map: one.map_index < 0 ? undefined : one.map_index }}
              aria-label={t("log of {task}", { task: name })}
            >
              {name}
            </Link>
            {one.error && (
              <>
                : <span className="name">{one.error}</span>
              </>
            )}
          </span>
        );
      })}
      {run.failed_tasks > run.tasks.length && (
        <span className="soft block">
          {t("and {count} more tasks", { count: run.failed_tasks - run.tasks.length })}
        </span>
      )}
      {run.reason && run.tasks.length === 0 && (
        <span className="block">
          <Sentence text={run.reason} spans={run.spans[run.reason]} />
        </span>
      )}
    </>
  );
}
