/** The words for the act that meets a condition: of its button, and of what it does. */

import type { Release } from "../api/runs";
import { t, tn } from "../state/language";
import { nameRun } from "../state/runNames";
import { readZone } from "../state/times";

export interface ReleaseWords {
  button: string;
  effect: string;
}

export function describeRelease(release: Release): ReleaseWords {
  const dag = release.dag_id ?? "";
  const run = nameRun(release.run_id ?? "", readZone());
  const task = `${release.task_id ?? ""}${release.map_index < 0 ? "" : `[${release.map_index}]`}`;
  switch (release.act) {
    case "unpause_dag":
      return { button: t("Unpause"), effect: t("Unpauses DAG {dag}: its queued runs and tasks start.", { dag }) };
    case "set_pool":
      return {
        button: t("Set the pool"),
        effect: tn(
          "Sets pool {pool} to {count} slot, for the tasks of all DAGs.",
          "Sets pool {pool} to {count} slots, for the tasks of all DAGs.",
          release.slots ?? 1,
          { pool: release.pool ?? "" },
        ),
      };
    case "release_run":
      return {
        button: t("Stop waiting"),
        effect: t("Run {run} of {dag} no longer waits for {upstream}.", {
          run,
          dag,
          upstream: release.upstream_dag_id ?? "",
        }),
      };
    case "clear_run":
      return {
        button: t("Clear the failed tasks (run again)"),
        effect: t("The failed tasks of run {run} of {dag} run again.", { run, dag }),
      };
    case "clear_task":
      return {
        button: t("Clear (run again)"),
        effect: t("Task {task} of run {run} of {dag} and all tasks downstream of it run again.", { task, run, dag }),
      };
    case "mark_task":
      return {
        button: t("Mark as success"),
        effect: t("Task {task} of run {run} of {dag} ends as success; a running attempt is stopped.", {
          task,
          run,
          dag,
        }),
      };
    case "answer":
      return { button: t("Answer"), effect: "" };
    case "start_service":
      return { button: "", effect: t("on the machine: gnomon {service}", { service: release.service ?? "" }) };
    default:
      return {
        button: "",
        effect: t("raise {option} in the DAG file or the options", { option: release.option ?? "" }),
      };
  }
}
