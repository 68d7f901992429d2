/** There is no baseline, or no forecast: how one comes about. */

import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon } from "../../ui/icons";
import styles from "./baselines.module.css";

const EXAMPLE = `[baselines.morning_report]
of = ["report", "billing.send"]
by = "07:00"
timezone = "Europe/Berlin"
margin = "15m"
owner = "ann"`;

export function NoBaseline() {
  return (
    <EmptyState icon={ClockIcon} title={t("There is no baseline.")}>
      <p>
        {t(
          "A baseline promises that DAGs are done by a time of day. The monitor predicts whether the promise will be kept, which task decides, and how much later it may end. Write one in gnomon.toml and restart the monitor:",
        )}
      </p>
      <pre className={styles.example} lang="en">
        {EXAMPLE}
      </pre>
    </EmptyState>
  );
}

/** `why`: the sentence of the server. */
export function NoForecast({ why }: { why: string }) {
  return (
    <EmptyState icon={ClockIcon} title={t("There is no forecast.")}>
      <p>{why}</p>
      <pre className={styles.example} lang="en">{`[forecast]\nalways = true`}</pre>
    </EmptyState>
  );
}
