/** The log of a try, with that of a second one beside it if the user asks. */

import { t } from "../../state/language";
import type { TryList } from "../../api/shapes";
import type { PartProps } from "./instancePart";
import { LogView } from "./log/LogView";
import styles from "./instance.module.css";

export function LogPart({ at, one, tries, view, set }: PartProps) {
  const number = view.try ?? one.try_number;
  const numbers = (tries?.task_instances ?? []).map((each) => each.try_number).filter((each) => each > 0);
  if (number === 0) return <p className="soft">{t("The task has not been tried yet.")}</p>;
  return (
    <section aria-label={t("Log of try {number}", { number })}>
      {numbers.length > 1 && (
        <div className="filters">
          <TryChoice
            label={t("Try")}
            numbers={numbers}
            value={number}
            change={(chosen) => set({ ...view, try: chosen, line: undefined })}
          />
          <TryChoice
            label={t("beside try")}
            numbers={numbers}
            value={view.beside}
            none={t("none")}
            change={(beside) => set({ ...view, beside })}
          />
        </div>
      )}
      <div className={view.beside === undefined ? styles.logs : `${styles.logs} ${styles.two}`}>
        <div>
          {hadNoWorker(tries, number) ? (
            <p className="soft">{t("There is no log: the task ended without a worker.")}</p>
          ) : (
            <LogView
              key={`${number} ${one.start_date}`}
              place={{ at, tryNumber: number, source: view.source }}
              options={view}
              set={(some) => set({ ...view, ...some })}
            />
          )}
        </div>
        {view.beside !== undefined && (
          <div>
            <LogView
              key={`beside ${view.beside}`}
              place={{ at, tryNumber: view.beside, source: undefined }}
              options={{ find: view.find, level: view.level }}
              set={(some) => set({ ...view, ...some, line: view.line })}
            />
          </div>
        )}
      </div>
    </section>
  );
}

interface TryChoiceProps {
  label: string;
  numbers: readonly number[];
  value: number | undefined;
  none?: string;
  change: (value: number | undefined) => void;
}

function TryChoice({ label, numbers, value, none, change }: TryChoiceProps) {
  return (
    <label>
      {label}{" "}
      <select
        value={value ?? ""}
        onChange={(event) => change(event.target.value === "" ? undefined : Number(event.target.value))}
      >
        {none !== undefined && <option value="">{none}</option>}
        {[...new Set([...numbers, ...(value === undefined ? [] : [value])])]
          .toSorted((one, other) => one - other)
          .map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
      </select>
    </label>
  );
}

/** Whether the try has ended and no worker ran it: an EmptyOperator, for example. */
function hadNoWorker(tries: TryList | undefined, number: number): boolean {
  const found = tries?.task_instances.find((one) => one.try_number === number);
  return found !== undefined && found.end_date !== null && !found.hostname;
}
