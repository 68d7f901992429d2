/** The DAGs of a page of the list: a table, or cards where there is no room for one. */

import { Act } from "../../components/Act";
import { Sentence } from "../../components/Sentences";
import { Link } from "@tanstack/react-router";
import { usePause } from "../../api/changes";
import { useFavorite } from "../../api/overviews";
import type { DagOverview } from "../../api/shapes";
import { Ago } from "../../components/Ago";
import { Refusal } from "../../components/Answer";
import { InfoTip } from "../../components/InfoTip";
import { LongText, useCut } from "../../components/LongText";
import { WrappedName } from "../../components/Names";
import { RunStrip } from "../../components/RunStrip";
import { StateCounts } from "../../components/StateCounts";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import cardStyles from "../../components/cards.module.css";
import styles from "./dags.module.css";

const DAY_MS = 86_400_000;
const NAME_MAX = 120;

export function DagTable({ dags, choose }: { dags: DagOverview[]; choose: (tag: string) => void }) {
  return (
    <div className="scroll">
      <table className={`${cardStyles.cards} ${styles.table}`}>
        <thead>
          <tr>
            <th>{t("DAG")}</th>
            <th>{t("Schedule")}</th>
            <th>{t("Next run")}</th>
            <th>{t("Newest runs")}</th>
            <th>{t("Runs")}</th>
            <th>{t("Actions")}</th>
          </tr>
        </thead>
        <tbody>
          {dags.map((dag) => (
            <DagRow key={dag.dag_id} dag={dag} choose={choose} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DagRow({ dag, choose }: { dag: DagOverview; choose: (tag: string) => void }) {
  return (
    <tr>
      <td>
        <DagName dag={dag} choose={choose} />
      </td>
      <td data-label={t("Schedule")}>
        <Schedule dag={dag} />
      </td>
      <td data-label={t("Next run")}>
        <NextRun dag={dag} />
      </td>
      <td>
        <RunStrip dagId={dag.dag_id} runs={dag.runs} />
      </td>
      <td>
        <StateCounts title={t("all")} counts={dag.counts} search={{ dag_id: dag.dag_id }} label={t("all runs")} />
        <StateCounts
          title={t("24 h")}
          counts={dag.recent}
          search={{ dag_id: dag.dag_id, by: "due", from: dayAgo() }}
          label={t("runs of 24 hours")}
        />
      </td>
      <td>
        <Acts dag={dag} />
      </td>
    </tr>
  );
}

/** To the minute, so that the address of a link stays the same for a while. */
function dayAgo(): string {
  return new Date(Math.floor((Date.now() - DAY_MS) / 60_000) * 60_000).toISOString();
}

function DagName({ dag, choose }: { dag: DagOverview; choose: (tag: string) => void }) {
  const name = useCut(dag.display_name, NAME_MAX);
  return (
    <>
      <Link to="/dags/$dagId" params={{ dagId: dag.dag_id }} search={{}} className="name strong">
        <WrappedName name={name.shown} />
      </Link>
      {name.button}
      {dag.display_name !== dag.dag_id && (
        <span className="soft name block">
          <WrappedName name={dag.dag_id} />
        </span>
      )}
      {dag.has_import_errors && (
        <Link to="/" hash="import-errors" className="bad">
          {" "}
          {t("import error")}
        </Link>
      )}
      {dag.problems.length > 0 && (
        <span className={styles.warned}>
          {tn("{count} warning", "{count} warnings", dag.problems.length)}
          <InfoTip label={t("Warnings of {dag}", { dag: dag.dag_id })}>
            {dag.problems.map((text) => (
              <span key={text} className="block">
                {text}
              </span>
            ))}
          </InfoTip>
        </span>
      )}
      <span className="block soft small">
        {dag.owners.length > 0 && <>{t("Owner")}: </>}
        {dag.owners.map((one) => (
          <span key={one}>
            <LongText text={one} most={NAME_MAX} />{" "}
          </span>
        ))}
      </span>
      <span className={styles.tags}>
        {dag.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            className="tag"
            title={t("Only DAGs with this tag")}
            onClick={() => choose(tag)}
          >
            {tag}
          </button>
        ))}
      </span>
    </>
  );
}

function Schedule({ dag }: { dag: DagOverview }) {
  return (
    <>
      <LongText text={dag.schedule.text} most={NAME_MAX} />
      {dag.schedule_description && (
        <InfoTip label={t("What the schedule of {dag} means", { dag: dag.dag_id })}>
          <Sentence {...dag.schedule_description} />
        </InfoTip>
      )}
    </>
  );
}

function NextRun({ dag }: { dag: DagOverview }) {
  if (!dag.next_run) return <span className="soft">–</span>;
  if (dag.is_paused) return <span className="soft">{t("paused")}</span>;
  return (
    <>
      <Time at={dag.next_run} />
      {dag.late_since ? (
        <b className="bad block">
          {t("late, due")} <Ago at={dag.late_since} />
        </b>
      ) : (
        <span className="soft block">
          <Ago at={dag.next_run} />
        </span>
      )}
      {dag.next_interval && dag.next_interval[0] !== dag.next_interval[1] && (
        <span className="soft block small">
          {t("for")} <Time at={dag.next_interval[0]} /> {t("to")} <Time at={dag.next_interval[1]} />
        </span>
      )}
    </>
  );
}

function Acts({ dag }: { dag: DagOverview }) {
  const pause = usePause(dag.dag_id);
  const favorite = useFavorite(dag.dag_id);
  const isPaused = pause.isPending ? pause.variables : dag.is_paused;
  const isFavorite = favorite.isPending ? favorite.variables : dag.is_favorite;
  return (
    <span className={styles.acts}>
      <Act dagId={dag.dag_id} otherwise={<span className="soft">{dag.is_paused ? t("paused") : t("active")}</span>}>
        <label className={styles.switch}>
          <input
            type="checkbox"
            role="switch"
            aria-label={t("{dag} is active", { dag: dag.dag_id })}
            checked={!isPaused}
            onChange={(event) => pause.mutate(!event.target.checked)}
          />
          <span aria-hidden="true">{isPaused ? t("paused") : t("active")}</span>
        </label>
        <Link
          to={"/dags/$dagId/trigger" as "/dags/$dagId"}
          params={{ dagId: dag.dag_id }}
          search={{}}
          className="button"
          preload={false}
          title={t("Run {dag} with parameters of your choice", { dag: dag.dag_id })}
        >
          <span aria-hidden="true">▶</span> {t("Run it …")}
        </Link>
      </Act>
      <button
        type="button"
        aria-pressed={isFavorite}
        aria-label={t("{dag} is a favourite", { dag: dag.dag_id })}
        onClick={() => favorite.mutate(!isFavorite)}
      >
        {isFavorite ? "★" : "☆"}
      </button>
      {pause.isError && <Refusal error={pause.error} />}
      {favorite.isError && <Refusal error={favorite.error} />}
    </span>
  );
}
