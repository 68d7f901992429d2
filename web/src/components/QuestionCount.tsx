/** The number of questions that wait for a person; nothing while none does. */

import { useQuery } from "@tanstack/react-query";
import { questionCountQuery } from "../api/administration";
import { t, tn } from "../state/language";
import styles from "./questionCount.module.css";

const SHOWN_MAX = 99;

export function QuestionCount() {
  const count = useQuery(questionCountQuery()).data ?? 0;
  if (count === 0) return null;
  return (
    <>
      {" "}
      <span className={styles.count} aria-hidden="true">
        {count > SHOWN_MAX ? t("{count}+", { count: SHOWN_MAX }) : count}
      </span>
      <span className="unseen">, {tn("{count} question waits", "{count} questions wait", count)}</span>
    </>
  );
}
