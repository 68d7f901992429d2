/** Which run of the DAG a view shows: the newest, or one of the newest runs. */

import { useQuery } from "@tanstack/react-query";
import { newestRunsQuery } from "../../api/dagViews";
import { stateName, stateShape } from "../../components/StateBadge";
import { t } from "../../state/language";
import { nameRun } from "../../state/runNames";
import { useZone } from "../../state/times";
import styles from "./dag.module.css";

/** The run that is shown: the chosen one, else the newest; undefined while it is not known or there is none. */
export function useShownRun(
  dagId: string,
  chosen: string | undefined,
): { runId: string | undefined; isKnown: boolean } {
  const newest = useQuery(newestRunsQuery(dagId));
  const runs = newest.data?.dag_runs;
  return {
    runId: chosen ?? runs?.[0]?.dag_run_id,
    isKnown: chosen !== undefined || runs !== undefined || newest.isError,
  };
}

export function RunPicker({
  dagId,
  chosen,
  choose,
}: {
  dagId: string;
  chosen: string | undefined;
  choose: (runId: string | undefined) => void;
}) {
  const zone = useZone();
  const runs = useQuery(newestRunsQuery(dagId)).data?.dag_runs ?? [];
  const isOlder = chosen !== undefined && !runs.some((run) => run.dag_run_id === chosen);
  return (
    <label>
      {t("Run")}{" "}
      <select
        className={styles.runPicker}
        value={chosen ?? ""}
        onChange={(event) => choose(event.target.value || undefined)}
      >
        <option value="">{t("the newest")}</option>
        {isOlder && <option value={chosen}>{nameRun(chosen, zone)}</option>}
        {runs.map((run) => (
          <option key={run.dag_run_id} value={run.dag_run_id}>
            {stateShape(run.state)} {nameRun(run.dag_run_id, zone)}, {stateName(run.state)}
          </option>
        ))}
      </select>
    </label>
  );
}
