/** The question of a task to a person, with the form to answer it; an answered one with its answer. */

import { Act } from "./Act";
import { useId, useState } from "react";
import type { InstancePlace } from "../api/places";
import { type HitlDetail, useHitlAnswer } from "../api/hitl";
import { t } from "../state/language";
import { showRunToast } from "../state/toasts";
import { Refusal } from "./Answer";
import { LazyMarkdown } from "./LazyMarkdown";
import { cutText, LongText } from "./LongText";
import { readParams, writeDefaults } from "./hitlParams";
import { Time } from "./Time";
import styles from "./hitl.module.css";

/** `heading`: the level of the subject on the page around it. */
export function HitlForm({ detail, heading: Heading = "h3" }: { detail: HitlDetail; heading?: "h2" | "h3" }) {
  const one = detail.task_instance;
  return (
    <section
      className={styles.question}
      role="group"
      aria-label={t("Question: {subject}", { subject: cutText(detail.subject) })}
    >
      <Heading className="name">
        <LongText text={detail.subject} />
      </Heading>
      {detail.body && <LazyMarkdown text={detail.body} />}
      {detail.response_received ? (
        <Answered detail={detail} />
      ) : (
        <Act
          dagId={one.dag_id}
          otherwise={<p className="soft">{t("Your account may read this question, and not answer it.")}</p>}
        >
          <Form
            detail={detail}
            at={{ dagId: one.dag_id, runId: one.dag_run_id, taskId: one.task_id, mapIndex: one.map_index }}
          />
        </Act>
      )}
    </section>
  );
}

function Answered({ detail }: { detail: HitlDetail }) {
  return (
    <>
      <p>
        {t("Answered by {user}: {options}", {
          user: detail.responded_by_user?.name ?? t("nobody"),
          options: (detail.chosen_options ?? []).join(", ") || "–",
        })}{" "}
        <Time at={detail.responded_at} />
      </p>
      {Object.keys(detail.params_input ?? {}).length > 0 && (
        <pre tabIndex={0}>{JSON.stringify(detail.params_input, null, 2)}</pre>
      )}
    </>
  );
}

function Form({ detail, at }: { detail: HitlDetail; at: InstancePlace }) {
  const answer = useHitlAnswer(at, (given) =>
    showRunToast(t("Answered: {options}.", { options: given.chosen_options.join(", ") || "–" }), [at]),
  );
  const name = useId();
  const [chosen, setChosen] = useState<string[]>(detail.defaults ?? []);
  const [texts, setTexts] = useState(() => writeDefaults(detail.params ?? {}));
  const [problem, setProblem] = useState("");
  const toggle = (option: string) =>
    setChosen(
      !detail.multiple
        ? [option]
        : chosen.includes(option)
          ? chosen.filter((one) => one !== option)
          : [...chosen, option],
    );
  const send = (options: string[]) => {
    const read = readParams(detail.params ?? {}, texts);
    setProblem(read.problem);
    if (!read.problem) answer.mutate({ chosen_options: options, params_input: read.values });
  };
  const isShort = !detail.multiple && Object.keys(texts).length === 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(chosen);
      }}
    >
      {Object.keys(texts).map((key) => (
        <label key={key} className={styles.param}>
          {key}
          <textarea
            rows={1}
            spellCheck={false}
            value={texts[key]}
            onChange={(event) => setTexts({ ...texts, [key]: event.target.value })}
          />
        </label>
      ))}
      {isShort ? (
        <div className="acts">
          {detail.options.map((option) => (
            <button
              key={option}
              type="button"
              className="name"
              disabled={answer.isPending}
              onClick={() => send([option])}
            >
              {option}
            </button>
          ))}
        </div>
      ) : (
        <>
          <fieldset>
            <legend>{t("Answer")}</legend>
            {detail.options.map((option) => (
              <label key={option} className="name">
                <input
                  type={detail.multiple ? "checkbox" : "radio"}
                  name={name}
                  checked={chosen.includes(option)}
                  onChange={() => toggle(option)}
                />{" "}
                {option}
              </label>
            ))}
          </fieldset>
          <button disabled={answer.isPending || chosen.length === 0}>{t("Send the answer")}</button>
        </>
      )}
      {(detail.assigned_users ?? []).length > 0 && (
        <p className="soft">
          {t("Only {users} may answer.", { users: (detail.assigned_users ?? []).map((user) => user.name).join(", ") })}
        </p>
      )}
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      {answer.isError && <Refusal error={answer.error} />}
    </form>
  );
}
