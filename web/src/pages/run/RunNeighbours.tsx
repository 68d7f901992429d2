/** Links to the run before and the run after the one that is shown, to the same view of them. */

import { useQuery } from "@tanstack/react-query";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { neighboursQuery } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { formatTime, useZone } from "../../state/times";
import { RUN_TABS } from "./runTabs";
import styles from "./run.module.css";

export function RunNeighbours({ run }: { run: DagRun }) {
  const found = useQuery(neighboursQuery(run)).data;
  const matches = useMatchRoute();
  const tab =
    RUN_TABS.find((one) => matches({ to: one.to, params: { dagId: run.dag_id, runId: run.dag_run_id } }))?.to ??
    "/dags/$dagId/runs/$runId";
  if (!found?.previous && !found?.next) return null;
  return (
    <nav className={styles.neighbours} aria-label={t("Runs beside this one")}>
      {found.previous && <NeighbourLink run={found.previous} to={tab} before="← " text={t("Previous run")} />}
      {found.next && <NeighbourLink run={found.next} to={tab} text={t("Next run")} behind=" →" />}
    </nav>
  );
}

function NeighbourLink({
  run,
  to,
  text,
  before,
  behind,
}: {
  run: DagRun;
  to: (typeof RUN_TABS)[number]["to"];
  text: string;
  before?: string;
  behind?: string;
}) {
  const zone = useZone();
  return (
    <Link
      to={to}
      params={{ dagId: run.dag_id, runId: run.dag_run_id }}
      search={{}}
      title={`${run.dag_run_id}, ${formatTime(run.run_after, zone)}, ${stateName(run.state)}`}
      preload={false}
    >
      <span aria-hidden="true">{before}</span>
      {text}
      <span aria-hidden="true">{behind}</span>
    </Link>
  );
}
