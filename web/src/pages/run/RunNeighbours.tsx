/** Links to the run before and the run after the one that is shown, to the same view of them and the same task. */

import { Link, useMatchRoute, useNavigate, useSearch } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import type { Neighbours } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { nameRun } from "../../state/runNames";
import { useZone } from "../../state/times";
import { buttonClass } from "../../ui/Button";
import { EarlierIcon, LaterIcon } from "../../ui/icons";
import styles from "./run.module.css";
import type { RunView } from "./runSearch";

const TASKS = "/dags/$dagId/runs/$runId";
const GANTT = "/dags/$dagId/runs/$runId/gantt";

/** The view that is shown now, and what of its address holds for another run. */
function useView() {
  const matches = useMatchRoute();
  const { chosen, map, part, pane } = useSearch({ strict: false }) as RunView;
  if (matches({ to: GANTT })) return { to: GANTT, search: {} } as const;
  return { to: TASKS, search: { chosen, map, part, pane } } as const;
}

/** A function that opens a run in the view of this one. */
export function useSameView(): (other: DagRun) => void {
  const view = useView();
  const navigate = useNavigate();
  return (other) => void navigate({ ...view, params: { dagId: other.dag_id, runId: other.dag_run_id } });
}

export function RunNeighbours({ neighbours }: { neighbours: Neighbours }) {
  if (!neighbours.previous && !neighbours.next) return null;
  return (
    <nav className={styles.neighbours} aria-label={t("Runs beside this one")}>
      {neighbours.previous && (
        <NeighbourLink run={neighbours.previous} className={buttonClass("quiet")} aria-label={t("Previous run")}>
          <EarlierIcon size={16} aria-hidden="true" />
        </NeighbourLink>
      )}
      {neighbours.next && (
        <NeighbourLink run={neighbours.next} className={buttonClass("quiet")} aria-label={t("Next run")}>
          <LaterIcon size={16} aria-hidden="true" />
        </NeighbourLink>
      )}
    </nav>
  );
}

export function NeighbourLink({ run, ...rest }: { run: DagRun } & Omit<ComponentProps<"a">, "href">) {
  const zone = useZone();
  const view = useView();
  return (
    <Link
      {...view}
      {...rest}
      params={{ dagId: run.dag_id, runId: run.dag_run_id }}
      title={`${nameRun(run.dag_run_id, zone)}, ${stateName(run.state)}`}
      preload={false}
    />
  );
}
