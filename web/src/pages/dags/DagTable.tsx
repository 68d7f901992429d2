/** The DAGs of a page of the list: a table with one line for each, or cards where there is no room for one. */

import type { DagOverview } from "../../api/shapes";
import { Act } from "../../components/Act";
import { RunStrip } from "../../components/RunStrip";
import { StateCounts } from "../../components/StateCounts";
import { t } from "../../state/language";
import { DagActs } from "./DagActs";
import { DagName, LastRun, NextRun, Schedule } from "./DagCells";
import { COLUMNS, useDagColumns } from "./dagColumns";
import styles from "./dags.module.css";

const DAY_MS = 86_400_000;

interface Props {
  dags: DagOverview[];
  choose: (tag: string) => void;
  selected: ReadonlySet<string>;
  select: (dagIds: readonly string[], isSelected: boolean) => void;
}

export function DagTable({ dags, choose, selected, select }: Props) {
  const [hidden] = useDagColumns();
  const ids = dags.map((dag) => dag.dag_id);
  const isAll = ids.every((dagId) => selected.has(dagId));
  return (
    <div className="scroll">
      <table className={styles.table}>
        <thead>
          <tr>
            <th className={styles.check}>
              <input
                type="checkbox"
                aria-label={t("Select all DAGs of this page")}
                checked={isAll}
                onChange={() => select(ids, !isAll)}
              />
            </th>
            <th className={styles.dag}>{t("DAG")}</th>
            {COLUMNS.map(
              ([column, label]) =>
                !hidden.has(column) && (
                  <th key={column} className={styles[column]}>
                    {t(label)}
                  </th>
                ),
            )}
            <th className={styles.acts}>
              <span className="unseen">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {dags.map((dag) => (
            <DagRow
              key={dag.dag_id}
              dag={dag}
              hidden={hidden}
              choose={choose}
              isSelected={selected.has(dag.dag_id)}
              select={select}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DagRowProps {
  dag: DagOverview;
  hidden: ReadonlySet<string>;
  choose: (tag: string) => void;
  isSelected: boolean;
  select: (dagIds: readonly string[], isSelected: boolean) => void;
}

function DagRow({ dag, hidden, choose, isSelected, select }: DagRowProps) {
  return (
    <tr
      className={dag.is_paused ? styles.paused : undefined}
      aria-selected={isSelected || undefined}
      data-chosen-row={dag.dag_id}
    >
      <td className={styles.check}>
        <Act dagId={dag.dag_id}>
          <input
            type="checkbox"
            aria-label={t("Select {dag}", { dag: dag.dag_id })}
            checked={isSelected}
            onChange={(event) => select([dag.dag_id], event.target.checked)}
          />
        </Act>
      </td>
      <td className={styles.dag}>
        <DagName dag={dag} choose={choose} />
      </td>
      {COLUMNS.map(
        ([column]) =>
          !hidden.has(column) && (
            <td key={column} className={styles[column]}>
              {CELLS[column]?.(dag)}
            </td>
          ),
      )}
      <td className={styles.acts}>
        <DagActs dag={dag} />
      </td>
    </tr>
  );
}

const CELLS: Record<string, (dag: DagOverview) => React.ReactNode> = {
  last: (dag) => <LastRun dag={dag} />,
  strip: (dag) => dag.runs.length > 0 && <RunStrip dagId={dag.dag_id} runs={dag.runs} />,
  schedule: (dag) => <Schedule dag={dag} />,
  next: (dag) => <NextRun dag={dag} />,
  counts: (dag) => <StateCounts counts={dag.counts} search={{ dag_id: dag.dag_id }} label={t("all runs")} />,
  recent: (dag) => (
    <StateCounts
      counts={dag.recent}
      search={{ dag_id: dag.dag_id, by: "due", from: dayAgo() }}
      label={t("runs of 24 hours")}
    />
  ),
  owner: (dag) => <span title={dag.owners.join(", ")}>{dag.owners.join(", ")}</span>,
};

/** To the minute, so that the address of a link stays the same for a while. */
function dayAgo(): string {
  return new Date(Math.floor((Date.now() - DAY_MS) / 60_000) * 60_000).toISOString();
}
