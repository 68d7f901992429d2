/** What can be done with a DAG in its line: pause it, run it, keep it as a favourite. */

import { Link } from "@tanstack/react-router";
import { usePause } from "../../api/changes";
import { useFavorite } from "../../api/overviews";
import type { DagOverview } from "../../api/shapes";
import { Act } from "../../components/Act";
import { Refusal } from "../../components/Answer";
import { t } from "../../state/language";
import { buttonClass, IconButton } from "../../ui/Button";
import { RunIcon, StarIcon } from "../../ui/icons";
import { Switch } from "../../ui/Switch";
import styles from "./dags.module.css";

export function DagActs({ dag }: { dag: DagOverview }) {
  const pause = usePause(dag.dag_id);
  const favorite = useFavorite(dag.dag_id);
  const isPaused = pause.isPending ? pause.variables : dag.is_paused;
  const isFavorite = favorite.isPending ? favorite.variables : dag.is_favorite;
  const run = t("Run {dag} with parameters of your choice", { dag: dag.dag_id });
  return (
    <span className={styles.rowActs}>
      <IconButton
        icon={StarIcon}
        isSmall
        label={t("{dag} is a favourite", { dag: dag.dag_id })}
        aria-pressed={isFavorite}
        className={styles.star}
        onClick={() => favorite.mutate(!isFavorite)}
      />
      <Act dagId={dag.dag_id} otherwise={<span className="soft">{dag.is_paused ? t("paused") : t("active")}</span>}>
        <Link
          to={"/dags/$dagId/trigger" as "/dags/$dagId"}
          params={{ dagId: dag.dag_id }}
          search={{}}
          className={`${buttonClass("quiet", true)} ${styles.run}`}
          preload={false}
          title={run}
        >
          <RunIcon size={16} strokeWidth={1.75} aria-hidden="true" />
          <span className="unseen">{t("Run it …")}</span>
        </Link>
        <Switch
          label={t("{dag} is active", { dag: dag.dag_id })}
          checked={!isPaused}
          onChange={(isActive) => pause.mutate(!isActive)}
        />
      </Act>
      {pause.isError && <Refusal error={pause.error} />}
      {favorite.isError && <Refusal error={favorite.error} />}
    </span>
  );
}
