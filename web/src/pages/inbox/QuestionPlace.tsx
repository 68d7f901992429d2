/** What asks: the DAG, the run, the task with its map index, and since when. */

import type { Question } from "../../api/administration";
import { Ago } from "../../components/Ago";
import { PlaceLinks } from "../../components/Names";
import { t } from "../../state/language";
import styles from "./inbox.module.css";

export function QuestionPlace({ question }: { question: Question }) {
  const { dag_id, dag_run_id, task_id, map_index } = question.task_instance;
  return (
    <p className={styles.place}>
      <PlaceLinks dagId={dag_id} runId={dag_run_id} taskId={task_id} mapIndex={map_index} />
      <span className="soft">
        {t("asked")} <Ago at={question.created_at} />
      </span>
    </p>
  );
}
