/** The newest runs of a DAG as bars: the height is the duration, the colour and the shape are the state. Each leads to its run. */

import type { DagOverview } from "../api/shapes";
import { runHref } from "../state/addresses";
import { t } from "../state/language";
import { nameRun } from "../state/runNames";
import { formatDuration, formatTime, useZone } from "../state/times";
import { PlainLink } from "./PlainLink";
import { stateClass, stateName, stateShape } from "./StateBadge";
import styles from "./strip.module.css";

const HEIGHT = 26;
const LOWEST = 7;

export function RunStrip({ dagId, runs }: { dagId: string; runs: DagOverview["runs"] }) {
  const zone = useZone();
  if (runs.length === 0) return <span className="soft">{t("no runs")}</span>;
  const longest = Math.max(...runs.map((run) => run.duration ?? 0), 0.001);
  return (
    <span className={styles.strip} role="group" aria-label={t("Newest runs")}>
      {runs.map((run) => {
        const height = run.duration === null ? HEIGHT : LOWEST + ((HEIGHT - LOWEST) * run.duration) / longest;
        const about = [
          nameRun(run.run_id, zone),
          stateName(run.state),
          t("due {time}", { time: formatTime(run.run_after, zone) }),
          formatDuration(run.duration),
        ]
          .filter(Boolean)
          .join(", ");
        return (
          <PlainLink
            key={run.run_id}
            href={runHref(dagId, run.run_id)}
            className={styles.run}
            title={about}
            aria-label={about}
          >
            <span className={`${styles.bar} solid ${stateClass(run.state)}`} style={{ height }} data-state={run.state}>
              <span aria-hidden="true">{run.state === "failed" ? stateShape(run.state) : ""}</span>
            </span>
          </PlainLink>
        );
      })}
    </span>
  );
}
