/** What a person should know of a run before its tasks: why it waits or failed, that it succeeded although tasks failed, its note. */

import { useQuery } from "@tanstack/react-query";
import { runExplanationQuery } from "../../api/queries";
import type { RunTasks } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { TaskLink } from "../../components/Names";
import { Note } from "../../components/NoteDialog";
import { useNarrow } from "../../components/useNarrow";
import { Why } from "../../components/Why";
import { t, tn } from "../../state/language";
import { WarningIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import styles from "./run.module.css";
import { sumCounts, useRunTasks } from "./runCounts";
import { findLastTasks, listInState } from "./taskRows";

const LISTED_MAX = 200;

export function RunNotices({ run }: { run: DagRun }) {
  const explanation = useQuery(runExplanationQuery(run.dag_id, run.dag_run_id));
  const found = useRunTasks(run);
  return (
    <>
      <Why query={explanation} dagId={run.dag_id}>
        {run.state === "failed" && found && <NotRun run={run} found={found} />}
      </Why>
      {run.state === "success" && found && <FailedInSuccess run={run} found={found} />}
      <Note note={run.note} />
    </>
  );
}

/** The tasks that did not run because others failed. */
function NotRun({ run, found }: { run: DagRun; found: RunTasks }) {
  const count = sumCounts(found).upstream_failed ?? 0;
  if (count === 0) return null;
  return (
    <Popover
      isSmall
      look="quiet"
      label={tn("{count} task not run because of it", "{count} tasks not run because of it", count)}
    >
      <InstanceList run={run} found={found} state="upstream_failed" />
    </Popover>
  );
}

function InstanceList({ run, found, state }: { run: DagRun; found: RunTasks; state: string }) {
  const all = listInState(found, state);
  return (
    <ul className={styles.victims}>
      {all.slice(0, LISTED_MAX).map((one) => (
        <li key={`${one.task.task_id} ${one.mapIndex}`}>
          <TaskLink dagId={run.dag_id} runId={run.dag_run_id} taskId={one.task.task_id} mapIndex={one.mapIndex} />
        </li>
      ))}
      {all.length > LISTED_MAX && <li className="soft">{t("and {count} more", { count: all.length - LISTED_MAX })}</li>}
    </ul>
  );
}

/** A run is as its last tasks are: it can be a success although others failed. */
function FailedInSuccess({ run, found }: { run: DagRun; found: RunTasks }) {
  const isNarrow = useNarrow();
  const failed = sumCounts(found).failed ?? 0;
  if (failed === 0) return null;
  const last = findLastTasks(found).slice(0, 3);
  const why = t("Only the last tasks decide, and these did not fail: {names}.", {
    names: last.map((task) => task.name).join(", "),
  });
  return (
    <section className={`${styles.line} ${styles.warn}`} aria-label={t("Failed tasks of a success")}>
      <WarningIcon size={16} aria-hidden="true" />
      <span>
        {tn(
          "{count} task failed, and the run is a success.",
          "{count} tasks failed, and the run is a success.",
          failed,
        )}
        {!isNarrow && ` ${why}`}
      </span>
      <Popover isSmall look="quiet" label={t("What failed")}>
        {isNarrow && <p>{why}</p>}
        <InstanceList run={run} found={found} state="failed" />
      </Popover>
    </section>
  );
}
