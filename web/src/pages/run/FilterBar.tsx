/** The filters of the list of task instances; each can be negated, and all are in the address. */

import { useMemo } from "react";
import { Negatable } from "../../components/filters/Negatable";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { countStates, FAILED, FINISHED, type Instance, type TaskFilters } from "./taskRows";
import type { TaskListView } from "./runSearch";
import styles from "./run.module.css";

interface FilterBarProps {
  all: readonly Instance[];
  view: TaskListView;
  set: (some: TaskListView) => void;
  isOneTask: boolean;
}

const TEXTS: { field: "task" | "index"; label: string }[] = [
  { field: "task", label: /* text */ "Task or group" },
  { field: "index", label: /* text */ "Map index" },
];
const CHOICES: { field: "operator" | "pool" | "queue"; label: string }[] = [
  { field: "operator", label: /* text */ "Operator" },
  { field: "pool", label: /* text */ "Pool" },
  { field: "queue", label: /* text */ "Queue" },
];

export function FilterBar({ all, view, set, isOneTask }: FilterBarProps) {
  const counts = useMemo(() => countStates(all), [all]);
  const failed = FAILED.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const unfinished = Object.entries(counts).reduce(
    (sum, [state, count]) => sum + (FINISHED.includes(state) ? 0 : count),
    0,
  );
  const values = useMemo(
    () =>
      Object.fromEntries(
        CHOICES.map(({ field }) => [
          field,
          [...new Set(all.map((one) => one.task[field]).filter((one): one is string => Boolean(one)))].toSorted(),
        ]),
      ),
    [all],
  );
  const hasIndexes = all.some((one) => one.mapIndex >= 0);
  const change = (some: TaskFilters) => set({ ...view, ...some });
  const isFiltered =
    [...TEXTS, ...CHOICES].some(({ field }) => view[field]) || view.only || view.state || view.longer !== undefined;
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <span className={styles.only} role="group" aria-label={t("Show")}>
        <button type="button" aria-pressed={!view.only} onClick={() => change({ only: undefined })}>
          {t("all")}
        </button>
        <button type="button" aria-pressed={view.only === "failed"} onClick={() => change({ only: "failed" })}>
          {t("only failed ({count})", { count: failed.toLocaleString("en") })}
        </button>
        <button type="button" aria-pressed={view.only === "unfinished"} onClick={() => change({ only: "unfinished" })}>
          {t("only unfinished ({count})", { count: unfinished.toLocaleString("en") })}
        </button>
      </span>
      <Negatable
        label={t("State")}
        value={view.state}
        change={(state) => change({ state })}
        options={Object.keys(counts)}
        nameOf={(one) => `${stateName(one === "none" ? null : one)} (${(counts[one] ?? 0).toLocaleString("en")})`}
      />
      {TEXTS.map(
        ({ field, label }) =>
          ((field === "index" ? hasIndexes : !isOneTask) || view[field]) && (
            <Negatable
              key={field}
              label={t(label)}
              value={view[field]}
              change={(value) => change({ [field]: value })}
            />
          ),
      )}
      {CHOICES.map(
        ({ field, label }) =>
          ((values[field]?.length ?? 0) > 1 || view[field]) && (
            <Negatable
              key={field}
              label={t(label)}
              value={view[field]}
              change={(value) => change({ [field]: value })}
              options={values[field] ?? []}
            />
          ),
      )}
      <label>
        {t("Longer than (s)")}{" "}
        <input
          type="number"
          min={0}
          step="any"
          className={styles.short}
          value={view.longer ?? ""}
          onChange={(event) => change({ longer: event.target.value === "" ? undefined : Number(event.target.value) })}
        />
      </label>
      {isFiltered && (
        <button type="button" onClick={() => set({ toggled: view.toggled })}>
          {t("Remove all filters")}
        </button>
      )}
    </form>
  );
}
