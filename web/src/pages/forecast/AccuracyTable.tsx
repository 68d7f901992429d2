/** By DAG, what was predicted of ends an hour before a run began and at its start, beside what came. */

import type { DagAccuracy, ForecastAccuracy, MomentAccuracy } from "../../api/baselines";
import { DagLink } from "../../components/Names";
import { Sentence } from "../../components/Sentences";
import { StackTable } from "../../components/StackTable";
import { t, tn } from "../../state/language";
import { formatDuration } from "../../state/times";
import { formatShare } from "../baselines/baselineLevels";
import styles from "./forecast.module.css";

export function AccuracyTable({ accuracy }: { accuracy: ForecastAccuracy }) {
  const { before, start, dags } = accuracy;
  return (
    <StackTable
      label={t("Table of the accuracy of predictions")}
      headings={[t("DAG"), t("An hour before the start"), t("At the start"), t("Remark")]}
    >
      {(before || start) && (
        <tr>
          <td className="strong">{t("all DAGs")}</td>
          <MomentCell moment={before} />
          <MomentCell moment={start} />
          <td />
        </tr>
      )}
      {dags.map((one) => (
        <DagRow key={one.dag_id} dag={one} />
      ))}
    </StackTable>
  );
}

function DagRow({ dag: { dag_id: dagId, before, start, why } }: { dag: DagAccuracy }) {
  return (
    <tr>
      <td>
        <DagLink dagId={dagId} />
      </td>
      <MomentCell moment={before} />
      <MomentCell moment={start} />
      <td className={styles.why}>{why && <Sentence text={why.text} spans={why.spans} />}</td>
    </tr>
  );
}

function MomentCell({ moment }: { moment: MomentAccuracy | null }) {
  if (!moment) return <td className="soft">–</td>;
  const { runs, below_p50: half, below_p90: nine, error, mean_error: mean, failed, unpredicted } = moment;
  return (
    <td>
      {error !== null && (
        <div>
          <strong>{t("off by {span}", { span: formatDuration(error) })}</strong>
          {mean !== null && (
            <span className="soft"> {t("(a mean of ten runs: {span})", { span: formatDuration(mean) })}</span>
          )}
        </div>
      )}
      <div className="soft">
        {half !== null && nine !== null && (
          <>{t("{half} by P50, {nine} by P90", { half: formatShare(half), nine: formatShare(nine) })} · </>
        )}
        {tn("{count} run", "{count} runs", runs)}
        {failed > 0 && <> · {tn("{count} failed|run", "{count} failed|runs", failed)}</>}
        {unpredicted > 0 && <> · {tn("{count} not predicted|run", "{count} not predicted|runs", unpredicted)}</>}
      </div>
    </td>
  );
}
