/** The tasks that decide when a baseline is done, over all DAGs, with the due time and the latest start of each. */

import { Link } from "@tanstack/react-router";
import type { KeyStep } from "../../api/baselines";
import { useNow } from "../../components/Ago";
import { TimeAxis, TimeLines } from "../../components/timeChart/TimeAxis";
import type { TimeMark } from "../../components/timeChart/timeSpan";
import { ChartLegend, TimeBar, TimePoint } from "../../components/timeChart/TimeBar";
import chart from "../../components/timeChart/timeChart.module.css";
import { useSize } from "../../components/useSize";
import { t } from "../../state/language";
import { formatClock, formatDuration, useZone } from "../../state/times";
import styles from "./baselines.module.css";
import { findSpan, listPieces } from "./keyPath";

interface Props {
  steps: readonly KeyStep[];
  dueAt: string;
  /** The place of the step that costs the most time. */
  costly: number | null;
}

export function KeyPathChart({ steps, dueAt, costly }: Props) {
  const [track, width] = useSize<HTMLDivElement>();
  const now = useNow();
  const span = findSpan(steps, Date.parse(dueAt));
  const marks: TimeMark[] = [
    { at: Date.parse(dueAt), label: t("due|baseline"), tone: "bad" },
    { at: now, label: "", tone: "now" },
  ];
  return (
    <>
      <div className={chart.chart} tabIndex={0} role="region" aria-label={t("Chart of the key path")}>
        <div className={chart.width}>
          <TimeAxis span={span} heading={t("Task")} track={track} width={width} marks={marks.slice(0, 1)} />
          <div className={chart.rows}>
            <ol className={chart.rows}>
              {steps.map((step, at) => (
                <StepRow key={at} step={step} span={span} isCostly={at === costly} />
              ))}
            </ol>
            <TimeLines span={span} marks={marks} />
          </div>
        </div>
      </div>
      <ChartLegend
        signs={[
          ["running", t("runs|verb")],
          ["slow", t("slower than usual")],
          ["failed", t("its last try has failed")],
          ["wait", t("waits")],
          ["point", t("latest start")],
        ]}
      />
    </>
  );
}

function StepRow({ step, span, isCostly }: { step: KeyStep; span: ReturnType<typeof findSpan>; isCostly: boolean }) {
  const words = useStepWords(step);
  return (
    <li className={chart.row} title={words}>
      <span className={chart.name}>
        <span className={styles.costly} aria-hidden="true">
          {isCostly ? "◆" : ""}
        </span>
        <StepName step={step} />
        <span className="unseen">{words}</span>
      </span>
      <span className={chart.track}>
        {listPieces(step).map((piece) => (
          <TimeBar key={piece.kind} span={span} piece={piece} />
        ))}
        {step.latest_start !== null && <TimePoint span={span} at={Date.parse(step.latest_start)} />}
      </span>
    </li>
  );
}

export function StepName({ step }: { step: KeyStep }) {
  const { dag_id: dagId, run_id: runId, task, task_id: taskId, map_index: mapIndex } = step;
  if (runId === null || taskId === null)
    return <span className={`soft ${chart.cut}`}>{t("a DAG that is hidden")}</span>;
  return (
    <Link
      className={`name ${chart.cut}`}
      title={`${dagId} › ${task}`}
      to="/dags/$dagId/runs/$runId/tasks/$taskId"
      params={{ dagId, runId, taskId }}
      search={mapIndex < 0 ? {} : { map: mapIndex }}
      preload={false}
    >
      {`${dagId} › ${task}`}
    </Link>
  );
}

function useStepWords(step: KeyStep): string {
  const zone = useZone();
  const clock = (at: string) => formatClock(at, zone);
  const parts = [t("{start} to {end}", { start: clock(step.start), end: clock(step.end) })];
  if (step.waited >= 1) parts.push(t("waits {span} before it", { span: formatDuration(step.waited) }));
  if (step.usual !== null) parts.push(t("usually {span}", { span: formatDuration(step.usual) }));
  if (step.latest_start !== null) parts.push(t("latest start {time}", { time: clock(step.latest_start) }));
  if (step.trouble === "failed") parts.push(t("its last try has failed"));
  if (step.trouble === "slow") parts.push(t("slower than usual"));
  return parts.join(", ");
}
