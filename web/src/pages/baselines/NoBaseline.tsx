/** There is no baseline, or no forecast: how one comes about. */

import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon } from "../../ui/icons";
import styles from "./baselines.module.css";

const IN_DAG_FILE = `from gnomon import DAG, Baseline

with DAG("report", schedule="0 4 * * *", baselines=[Baseline("07:00")]):
    ...`;

const IN_OPTIONS = `[baselines.morning_report]
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
          "A baseline promises that DAGs are done by a time of day. The monitor predicts whether the promise will be kept, which task decides, and how much later it may end. Make one here, or write it in a DAG file, where it has the name and the zone of the DAG:",
        )}
      </p>
      <pre className={styles.example} lang="en">
        {IN_DAG_FILE}
      </pre>
      <p>{t("Or write one for several DAGs and tasks in gnomon.toml, and restart the monitor:")}</p>
      <pre className={styles.example} lang="en">
        {IN_OPTIONS}
      </pre>
    </EmptyState>
  );
}

/** `why`: the sentence of the server, which says what there is not and how it comes about. */
export function NoForecast({ why }: { why: string }) {
  return (
    <EmptyState icon={ClockIcon} title={why}>
      <pre className={styles.example} lang="en">{`[forecast]\nalways = true`}</pre>
    </EmptyState>
  );
}
