/** The runs that differ, a page at a time: when each ends in both worlds, and why. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ComparedRun } from "../../api/simulations";
import { PageSteps } from "../../components/PageSteps";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { nameChange } from "./outcomeWords";
import styles from "./whatIf.module.css";

const PAGE = 25;

export function RunTable({ runs }: { runs: readonly ComparedRun[] }) {
  const [page, setPage] = useState(1);
  if (runs.length === 0) return null;
  return (
    <section>
      <h2>{t("Runs that are different")}</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label={t("Runs that are different")}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>{t("DAG")}</th>
              <th>{t("Due|run")}</th>
              <th>{t("What happens")}</th>
              <th>{t("End without the changes")}</th>
              <th>{t("End with them")}</th>
              <th>{t("Shift")}</th>
              <th>{t("Why")}</th>
            </tr>
          </thead>
          <tbody>
            {runs.slice((page - 1) * PAGE, page * PAGE).map((run) => (
              <tr key={`${run.dag_id} ${run.run_type} ${run.run_id} ${run.change}`}>
                <td>
                  <Link to="/dags/$dagId" params={{ dagId: run.dag_id }} search={{}} className="name">
                    {run.dag_id}
                  </Link>
                </td>
                <td>
                  <Time at={(run.after ?? run.before)?.run_after} />
                </td>
                <td>{nameChange(run.change)}</td>
                <td>
                  <Time at={run.before?.end_p50} />
                </td>
                <td>
                  <Time at={run.after?.end_p50} />
                </td>
                <td className={(run.shift ?? 0) > 0 ? "bad" : (run.shift ?? 0) < 0 ? "good" : undefined}>
                  {formatShift(run.shift)}
                </td>
                <td className={styles.reasons}>{run.reasons.join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <PageSteps page={page} size={PAGE} total={runs.length} go={(to) => setPage(to ?? 1)} />
    </section>
  );
}

function formatShift(shift: number | null): string {
  if (shift === null) return "–";
  return `${shift > 0 ? "+" : "−"}${formatDuration(Math.abs(shift))}`;
}
