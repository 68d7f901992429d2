/** How good predictions of the DAGs at the end of a baseline were. */

import { useQuery } from "@tanstack/react-query";
import { accuracyQuery, type BaselineDetails } from "../../api/baselines";
import { t } from "../../state/language";
import { Card } from "../../ui/Card";
import { AccuracyTable } from "../forecast/AccuracyTable";

export function BaselineAccuracy({ baseline }: { baseline: BaselineDetails }) {
  const ends = baseline.of.flatMap(listPrefixes);
  const steps = baseline.key_path.filter((step) => step.run_id !== null).map((step) => step.dag_id);
  const dagIds = [...new Set([...ends, ...steps])];
  const accuracy = useQuery(accuracyQuery(dagIds)).data;
  if (!accuracy || accuracy.dags.length === 0) return null;
  return (
    <Card title={t("Earlier predictions of its DAGs")}>
      <AccuracyTable accuracy={accuracy} />
    </Card>
  );
}

/** `a.b.c` may be a DAG, or a task of `a.b` or of `a`: of what is no DAG there is no answer. */
function listPrefixes(text: string): string[] {
  const parts = text.split(".");
  return parts.map((_, at) => parts.slice(0, at + 1).join("."));
}
