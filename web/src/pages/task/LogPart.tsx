/** The log of a try, with that of a second one beside it if the user asks. */

import { t } from "../../state/language";
import type { TryList } from "../../api/shapes";
import { EmptyState } from "../../ui/EmptyState";
import type { PartProps } from "./instancePart";
import { LogView } from "./log/LogView";
import styles from "./instance.module.css";

/** In these states the newest try has not begun: there is no log to ask for. */
const WAITING: readonly string[] = ["none", "scheduled", "queued"];

export function LogPart({ at, one, tries, view, set }: PartProps) {
  const number = view.try ?? one.try_number;
  const numbers = (tries?.task_instances ?? []).map((each) => each.try_number).filter((each) => each > 0);
  const waits = number === one.try_number && !one.start_date && WAITING.includes(one.state ?? "none");
  if (number === 0 || waits)
    return (
      <div className={styles.none}>
        <EmptyState isSmall title={t("The task has not been tried yet.")} />
      </div>
    );
  if (hadNoWorker(tries, number))
    return (
      <div className={styles.none}>
        <EmptyState isSmall title={t("There is no log: the task ended without a worker.")} />
      </div>
    );
  return (
    <section className={styles.logs} aria-label={t("Log of try {number}", { number })}>
      <div>
        <LogView
          key={`${number} ${one.start_date}`}
          place={{ at, tryNumber: number, source: view.source }}
          options={view}
          set={(some) => set({ ...view, ...some })}
          lead={
            numbers.length > 1 && (
              <>
                <TryChoice
                  label={t("Try")}
                  numbers={numbers}
                  value={number}
                  change={(chosen) => set({ ...view, try: chosen, line: undefined })}
                />
                <TryChoice
                  label={t("beside try")}
                  numbers={numbers.filter((each) => each !== number)}
                  value={view.beside}
                  none={t("compare with …")}
                  change={(beside) => set({ ...view, beside })}
                />
              </>
            )
          }
        />
      </div>
      {view.beside !== undefined && (
        <div>
          <LogView
            key={`beside ${view.beside}`}
            place={{ at, tryNumber: view.beside, source: undefined }}
            options={{ find: view.find, level: view.level }}
            set={(some) => set({ ...view, ...some, line: view.line })}
            lead={<b className={styles.tryName}>{t("Try {number}", { number: view.beside })}</b>}
          />
        </div>
      )}
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
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => change(event.target.value === "" ? undefined : Number(event.target.value))}
    >
      {none !== undefined && <option value="">{none}</option>}
      {[...new Set([...numbers, ...(value === undefined ? [] : [value])])]
        .toSorted((one, other) => one - other)
        .map((each) => (
          <option key={each} value={each}>
            {label} {each}
          </option>
        ))}
    </select>
  );
}

/** Whether the try has ended and no worker ran it: an EmptyOperator, for example. */
function hadNoWorker(tries: TryList | undefined, number: number): boolean {
  const found = tries?.task_instances.find((one) => one.try_number === number);
  return found !== undefined && found.end_date !== null && !found.hostname;
}
