/** The DAGs and tasks at the end of a baseline: a list, and a field that adds one. */

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { endNamesQuery } from "../../api/baselines";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import styles from "./baselineForm.module.css";

export function EndsField({ ends, change }: { ends: readonly string[]; change: (ends: string[]) => void }) {
  const list = useId();
  const [typed, setTyped] = useState("");
  const names = useQuery(endNamesQuery(typed)).data ?? [];
  const add = (text: string) => {
    const name = text.trim();
    if (name) change([...new Set([...ends, name])]);
    setTyped("");
  };
  return (
    <>
      <Field label={t("What must be done")} hint={t("A DAG, or DAG.TASK for a task of it.")}>
        {(control) => (
          <span className={styles.add}>
            <input
              {...control}
              value={typed}
              list={list}
              required={ends.length === 0}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => {
                const text = event.target.value;
                if (isChosen(event.nativeEvent) && names.includes(text)) add(text);
                else setTyped(text);
              }}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !typed) return;
                event.preventDefault();
                add(typed);
              }}
              onBlur={() => add(typed)}
            />
            <datalist id={list}>
              {names.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </span>
        )}
      </Field>
      {ends.length > 0 && (
        <ul className={styles.ends} aria-label={t("What must be done")}>
          {ends.map((name) => (
            <li key={name}>
              <span className="name">{name}</span>
              <Button
                isSmall
                look="quiet"
                aria-label={t("Remove {name}", { name })}
                onClick={() => change(ends.filter((one) => one !== name))}
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Whether a suggestion was chosen: browsers tell it by an event that is no typing. */
function isChosen(event: Event): boolean {
  const kind = (event as Partial<InputEvent>).inputType;
  return kind === undefined || kind === "insertReplacementText";
}
