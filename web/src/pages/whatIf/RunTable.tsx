/** The runs that differ, a page at a time: when each ends in both worlds, and why. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ComparedRun, SimulationAnswer } from "../../api/simulations";
import { PageSteps } from "../../components/PageSteps";
import { SentenceList } from "../../components/Sentences";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { nameChange } from "./outcomeWords";
import styles from "./whatIf.module.css";

const PAGE = 25;
/** Of cards, on a narrow window. */
const CARDS = 6;

interface Props {
  runs: readonly ComparedRun[];
  spans: SimulationAnswer["spans"];
}

export function RunTable({ runs, spans }: Props) {
  const [page, setPage] = useState(1);
  const size = useNarrow() ? CARDS : PAGE;
  if (runs.length === 0) return null;
  return (
    <section>
      <h2>{t("Runs that are different")}</h2>
      <StackTable
        label={t("Runs that are different")}
        className={styles.table}
        headings={[
          t("DAG"),
          t("Due|run"),
          t("What happens"),
          t("End without the changes"),
          t("End with them"),
          t("Shift"),
          t("Why"),
        ]}
      >
        {runs.slice((page - 1) * size, page * size).map((run) => (
          <tr key={`${run.dag_id} ${run.run_type} ${run.run_id} ${run.change}`}>
            <td>
              <Link to="/dags/$dagId" params={{ dagId: run.dag_id }} search={{}} className="name">
                {run.dag_id}
              </Link>
            </td>
            <td>
              <Time at={(run.after ?? run.before)?.run_after} />
            </td>
            <td className={styles.kind}>{nameChange(run.change)}</td>
            <td>
              <Time at={run.before?.end_p50} />
            </td>
            <td>
              <Time at={run.after?.end_p50} />
            </td>
            <td className={`${styles.kind} ${(run.shift ?? 0) > 0 ? "bad" : (run.shift ?? 0) < 0 ? "good" : ""}`}>
              {formatShift(run.shift)}
            </td>
            <td className={styles.reasons}>
              <SentenceList sentences={run.reasons.map((text) => ({ text, spans: spans[text] }))} />
            </td>
          </tr>
        ))}
      </StackTable>
      <PageSteps page={page} size={size} total={runs.length} go={(to) => setPage(to ?? 1)} />
    </section>
  );
}

function formatShift(shift: number | null): string {
  if (shift === null) return "–";
  return `${shift > 0 ? "+" : "−"}${formatDuration(Math.abs(shift))}`;
}
