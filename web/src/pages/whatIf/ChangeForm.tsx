/** Adds one change, or replaces one: what kind it is, of what, and the value. */

import { useState } from "react";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { PlusIcon } from "../../ui/icons";
import { KINDS } from "./changeWords";
import { NameField } from "./NameField";
import { type Change, type ChangeKey, KEYS, shapeOf } from "./scenarioChanges";
import styles from "./whatIf.module.css";

interface Props {
  /** What the fields have at first. */
  first: Change;
  add: (change: Change) => void;
}

export function ChangeForm({ first, add }: Props) {
  const [change, setChange] = useState(() => splitExpectation(first));
  const set = (some: Partial<Change>) => setChange((before) => ({ ...before, ...some }));
  const { key, name, value } = change;
  const { of, example } = KINDS[key];
  const needsValue = shapeOf(key) !== "list" || key === "expect";
  const isReady = (of === "none" || name.trim() !== "") && (!needsValue || value.trim() !== "");
  const submit = () => {
    add(joinExpectation({ key, name: of === "none" ? "" : name.trim(), value: needsValue ? value.trim() : "" }));
    setChange({ key, name: "", value: "" });
  };
  return (
    <form
      className={styles.form}
      aria-label={t("New change")}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) submit();
      }}
    >
      <label>
        {t("Change")}{" "}
        <select
          value={key}
          onChange={(event) =>
            setChange({
              key: event.target.value as ChangeKey,
              name: of === KINDS[event.target.value as ChangeKey].of ? name : "",
              value: "",
            })
          }
        >
          {KEYS.map((each) => (
            <option key={each} value={each}>
              {t(KINDS[each].words)}
            </option>
          ))}
        </select>
      </label>
      {of !== "none" && <NameField of={of} value={name} onChange={(typed) => set({ name: typed })} />}
      {needsValue && (
        <label>
          {t(VALUES[key] ?? "Value")}{" "}
          <input
            value={value}
            placeholder={example}
            required
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set({ value: event.target.value })}
          />
        </label>
      )}
      <Button
        type="submit"
        className={styles.add}
        icon={PlusIcon}
        disabled={!isReady}
        why={t("Fill in the fields first.")}
      >
        {t("Add")}
      </Button>
    </form>
  );
}

const VALUES: Partial<Record<ChangeKey, string>> = {
  set: /* text */ "How long: +50%, 30m, 20m..40m",
  delay: /* text */ "How much later",
  schedule: /* text */ "Cron",
  pool: /* text */ "Slots; -1: no limit",
  parallelism: /* text */ "Tasks at once",
  length: /* text */ "Elements",
  assume: /* text */ "How long each",
  expect: /* text */ "What must be: ends before 07:00",
};

/** An expectation is one text, whose first word is the name. */
function splitExpectation(change: Change): Change {
  if (change.key !== "expect") return change;
  const [name = "", ...rest] = change.name.split(" ");
  return { ...change, name, value: rest.join(" ") };
}

function joinExpectation(change: Change): Change {
  return change.key === "expect" ? { ...change, name: `${change.name} ${change.value}`, value: "" } : change;
}
