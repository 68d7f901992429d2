/** What a line of the list says about its DAG: the name with its tags, how the last run went and why, the schedule, the next run. */

import { Link } from "@tanstack/react-router";
import type { DagOverview } from "../../api/shapes";
import { Ago, usePresent } from "../../components/Ago";
import { cutText } from "../../components/LongText";
import { PlainLink } from "../../components/PlainLink";
import { Sentence } from "../../components/Sentences";
import { When } from "../../components/When";
import { stateName } from "../../components/StateBadge";
import { StateDot } from "../../components/StateDot";
import { runHref } from "../../state/addresses";
import { t, tn } from "../../state/language";
import { formatSoon, formatTime, useZone } from "../../state/times";
import { HoverCard } from "../../ui/HoverCard";
import { AssetIcon, WarningIcon } from "../../ui/icons";
import styles from "./dags.module.css";

export function DagName({ dag, choose }: { dag: DagOverview; choose: (tag: string) => void }) {
  return (
    <span className={styles.line}>
      <Link
        to="/dags/$dagId"
        params={{ dagId: dag.dag_id }}
        search={{}}
        className={`name strong ${styles.cut}`}
        title={dag.display_name === dag.dag_id ? dag.dag_id : `${dag.display_name} (${dag.dag_id})`}
      >
        {cutText(dag.display_name)}
      </Link>
      {dag.display_name !== dag.dag_id && <span className={`soft name ${styles.cut}`}>{cutText(dag.dag_id)}</span>}
      {dag.has_import_errors && (
        <Link to="/" hash="import-errors" className={`bad ${styles.whole}`}>
          {t("import error")}
        </Link>
      )}
      {dag.problems.length > 0 && <Problems dag={dag} />}
      {dag.tags.length > 0 && (
        <span className={styles.tags}>
          {dag.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className="tag"
              title={t("Only DAGs with the tag {tag}", { tag })}
              onClick={() => choose(tag)}
            >
              {tag}
            </button>
          ))}
        </span>
      )}
    </span>
  );
}

function Problems({ dag }: { dag: DagOverview }) {
  const words = tn("{count} warning", "{count} warnings", dag.problems.length);
  return (
    <HoverCard
      label={t("Warnings of {dag}", { dag: dag.dag_id })}
      content={() => dag.problems.map((text) => <p key={text}>{text}</p>)}
    >
      <button type="button" className={styles.warned} aria-label={words}>
        <WarningIcon size={14} aria-hidden="true" />
        <span className={styles.word}>{words}</span>
      </button>
    </HoverCard>
  );
}

/** The state, how long ago it ended or, of one that has not, when it was due, and of a failed run why. */
export function LastRun({ dag }: { dag: DagOverview }) {
  const run = dag.runs.at(-1);
  if (!run) return <span className="soft">{t("no runs")}</span>;
  return (
    <span className={styles.line}>
      <PlainLink href={runHref(dag.dag_id, run.run_id)} className={styles.state} title={run.run_id}>
        <StateDot state={run.state} />
        {stateName(run.state)}
      </PlainLink>
      <span className={`soft ${styles.whole}`}>
        <When at={run.end_date ?? run.run_after} />
      </span>
      {dag.predicted_end && <Ends at={dag.predicted_end} />}
      {dag.failure && <Reason failure={dag.failure} />}
    </span>
  );
}

/** When the run will probably end; nothing when that is over, until there is another prediction. */
function Ends({ at }: { at: string }) {
  const zone = useZone();
  const now = usePresent();
  if (Date.parse(at) <= now) return null;
  return (
    <span className={`soft ${styles.cut}`} title={formatTime(at, zone)}>
      {t("ends about {time}", { time: formatSoon(at, zone, now) })}
    </span>
  );
}

function Reason({ failure }: { failure: NonNullable<DagOverview["failure"]> }) {
  const task = failure.map_index < 0 ? failure.task_id : `${failure.task_id} [${failure.map_index}]`;
  const text = [task, failure.error].filter(Boolean).join(": ");
  return (
    <span className={`bad name ${styles.cut}`} title={text}>
      {cutText(text)}
    </span>
  );
}

/** The schedule in words; its text and the words open over it. */
export function Schedule({ dag }: { dag: DagOverview }) {
  const words = dag.schedule_description;
  if (!words) return <span className={styles.cut}>{dag.schedule.text}</span>;
  return (
    <HoverCard
      label={t("What the schedule of {dag} means", { dag: dag.dag_id })}
      content={() => (
        <>
          <code lang="en">{dag.schedule.text}</code>
          <p>
            <Sentence {...words} />
          </p>
        </>
      )}
    >
      <button type="button" className={`${styles.words} ${styles.cut}`}>
        <ScheduleWords dag={dag} words={words} />
      </button>
    </HoverCard>
  );
}

/** In a line: of a schedule by assets their names alone, for which there is room. */
function ScheduleWords({ dag, words }: { dag: DagOverview; words: NonNullable<DagOverview["schedule_description"]> }) {
  if (dag.schedule.code === "schedule_is_none") return <span className="soft">{t("no schedule")}</span>;
  const [lead, ...names] = words.spans;
  if (words.code !== "triggered_by_condition" || lead?.kind !== "text") return words.text;
  return (
    <>
      <span className="unseen">{lead.text}</span>
      <AssetIcon size={14} aria-hidden="true" className={styles.asset} /> {names.map((span) => span.text).join("")}
    </>
  );
}

export function NextRun({ dag }: { dag: DagOverview }) {
  if (dag.is_paused) return <span className="soft">{t("paused")}</span>;
  if (!dag.next_run) return null;
  if (!dag.late_since) return <When at={dag.next_run} />;
  return (
    <b className="bad">
      {t("late, due")} <Ago at={dag.late_since} />
    </b>
  );
}
