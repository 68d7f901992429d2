/** The graph in words: each task with its state and what comes before and after it. */

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Structure } from "../../../api/shapes";
import { t } from "../../../state/language";
import { describeCounts, type StateCounts } from "../cellStates";

/** More rows than this are not written into the document. */
const ROWS_MAX = 500;

export function GraphTable({
  structure,
  runId,
  states,
}: {
  structure: Structure;
  runId: string | undefined;
  states: StateCounts[];
}) {
  const near = useMemo(() => {
    const lists = structure.tasks.map((): [string[], string[]] => [[], []]);
    for (const [from, to] of structure.edges) {
      lists[to]?.[0].push(structure.tasks[from]?.task_id ?? "");
      lists[from]?.[1].push(structure.tasks[to]?.task_id ?? "");
    }
    return lists;
  }, [structure]);
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={t("Graph")}>
      <table>
        <thead>
          <tr>
            <th>{t("Task")}</th>
            <th>{t("State")}</th>
            <th>{t("Operator")}</th>
            <th>{t("Trigger rule")}</th>
            <th>{t("Upstream")}</th>
            <th>{t("Downstream")}</th>
          </tr>
        </thead>
        <tbody>
          {structure.tasks.slice(0, ROWS_MAX).map((task, at) => (
            <tr key={task.task_id}>
              <td>
                {runId === undefined ? (
                  <span className="name">{task.task_id}</span>
                ) : (
                  <Link
                    className="name"
                    to="/dags/$dagId/runs/$runId/tasks/$taskId"
                    params={{ dagId: structure.dag_id, runId, taskId: task.task_id }}
                    search={{}}
                  >
                    {task.task_id}
                  </Link>
                )}
              </td>
              <td>{describeCounts(states[at] ?? [])}</td>
              <td>{task.operator}</td>
              <td>{task.trigger_rule ?? "all_success"}</td>
              <td className="name">{near[at]?.[0].join(", ")}</td>
              <td className="name">{near[at]?.[1].join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {structure.tasks.length > ROWS_MAX && (
        <p className="soft">{t("The first {count} tasks are shown.", { count: ROWS_MAX })}</p>
      )}
    </div>
  );
}
