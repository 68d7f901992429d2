/** Lines of a part of the home page, the first of them until all are asked for; and where a line is about: a state, a DAG, a run. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { RunLink } from "../../components/Names";
import { stateName } from "../../components/StateBadge";
import { StateDot } from "../../components/StateDot";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import styles from "./home.module.css";

const SHOWN_MAX = 8;

export function Lines<T>({ items, line }: { items: readonly T[]; line: (item: T) => ReactNode }) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, SHOWN_MAX);
  return (
    <>
      <ul className={styles.rows}>{shown.map(line)}</ul>
      {shown.length < items.length && (
        <Button look="quiet" isSmall onClick={() => setAll(true)}>
          {t("Show all {count}", { count: items.length })}
        </Button>
      )}
    </>
  );
}

interface Place {
  dagId: string;
  runId?: string | null;
  state: string;
  /** What is said of it, at the end of the line. */
  children?: ReactNode;
}

export function RunPlace({ dagId, runId, state, children }: Place) {
  return (
    <span className={styles.place}>
      {runId ? <StateLink dagId={dagId} runId={runId} state={state} /> : <StateDot state={state} isNamed />}
      <Link to="/dags/$dagId" params={{ dagId }} search={{}} className="name strong">
        {dagId}
      </Link>
      {runId && <RunLink dagId={dagId} runId={runId} />}
      <span className="soft">{children}</span>
    </span>
  );
}

/** The state of a run as a dot that leads to it. The keyboard reaches the run by the link on its name. */
export function StateLink({ dagId, runId, state }: { dagId: string; runId: string; state: string }) {
  return (
    <Link
      to="/dags/$dagId/runs/$runId"
      params={{ dagId, runId }}
      className={styles.stateLink}
      tabIndex={-1}
      aria-label={stateName(state)}
      title={stateName(state)}
    >
      <StateDot state={state} />
    </Link>
  );
}
