/** Questions that differ only in their run or map index: one text, a row for each, and one answer for those that are chosen. */

import { useState } from "react";
import type { Question } from "../../api/administration";
import { useHitlAnswers } from "../../api/hitl";
import { Act } from "../../components/Act";
import { Refusal } from "../../components/Answer";
import { LazyMarkdown } from "../../components/LazyMarkdown";
import { cutText, LongText } from "../../components/LongText";
import { t, tn } from "../../state/language";
import { nameRun } from "../../state/runNames";
import { useZone } from "../../state/times";
import { showRunToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { Pill } from "../../ui/Pill";
import { QuestionPlace } from "./QuestionPlace";
import styles from "./inbox.module.css";

export function EqualQuestions({ questions }: { questions: Question[] }) {
  const first = questions[0] as Question;
  const zone = useZone();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = questions.filter((one) => !left.has(one.task_instance.id));
  const answer = useHitlAnswers();
  const toggle = (id: string) => setLeft(new Set(left.has(id) ? [...left].filter((one) => one !== id) : [...left, id]));
  const send = (option: string) => {
    const places = chosen.map(({ task_instance: one }) => ({
      dagId: one.dag_id,
      runId: one.dag_run_id,
      taskId: one.task_id,
      mapIndex: one.map_index,
    }));
    answer.mutate(
      { places, answer: { chosen_options: [option], params_input: {} } },
      {
        onSuccess: () =>
          showRunToast(
            tn("{count} question is answered: {option}.", "{count} questions are answered: {option}.", places.length, {
              option,
            }),
            places,
          ),
      },
    );
  };
  return (
    <article
      className={styles.question}
      role="group"
      aria-label={t("Question: {subject}", { subject: cutText(first.subject) })}
    >
      <h3 className="name">
        <LongText text={first.subject} />{" "}
        <Pill>{tn("{count} equal question", "{count} equal questions", questions.length)}</Pill>
      </h3>
      {first.body && <LazyMarkdown text={first.body} />}
      <ul className={styles.equal}>
        {questions.map((one) => (
          <li key={one.task_instance.id}>
            <input
              type="checkbox"
              aria-label={t("Answer that of run {run}", { run: nameRun(one.task_instance.dag_run_id, zone) })}
              checked={!left.has(one.task_instance.id)}
              onChange={() => toggle(one.task_instance.id)}
            />
            <QuestionPlace question={one} />
          </li>
        ))}
      </ul>
      <Act
        dagId={first.task_instance.dag_id}
        otherwise={<p className="soft">{t("Your account may read this question, and not answer it.")}</p>}
      >
        <div className="acts">
          {first.options.map((option) => (
            <Button
              key={option}
              className="name"
              isBusy={answer.isPending}
              disabled={chosen.length === 0}
              why={t("No question is chosen.")}
              onClick={() => send(option)}
            >
              {option}
            </Button>
          ))}
          <span className="soft">{t("for {count} of {all}", { count: chosen.length, all: questions.length })}</span>
        </div>
      </Act>
      {answer.isError && <Refusal error={answer.error} />}
    </article>
  );
}
