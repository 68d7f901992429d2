/** The filters of the list of task instances; each can be negated, and all are in the address. */

import { useMemo } from "react";
import { Negatable } from "../../components/filters/Negatable";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { IconButton } from "../../ui/Button";
import { CloseIcon, FilterIcon } from "../../ui/icons";
import { Facet } from "../../ui/Pill";
import { Popover } from "../../ui/Popover";
import { SearchBox } from "../../ui/SearchBox";
import { countStates, FAILED, FINISHED, type Instance, type TaskFilters } from "./taskRows";
import type { TaskListView } from "./runSearch";
import styles from "./task.module.css";

interface FilterBarProps {
  all: readonly Instance[];
  view: TaskListView;
  set: (some: TaskListView) => void;
  isOneTask: boolean;
}

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
  const hasIndexes = useMemo(() => all.some((one) => one.mapIndex >= 0), [all]);
  const change = (some: TaskFilters) => set({ ...view, ...some });
  const clear = () =>
    change({
      task: undefined,
      only: undefined,
      state: undefined,
      operator: undefined,
      pool: undefined,
      queue: undefined,
      index: undefined,
      longer: undefined,
    });
  const rare = [view.state, view.operator, view.pool, view.queue, view.index, view.longer].filter(
    (one) => one !== undefined,
  ).length;
  return (
    <form className={styles.filters} role="search" onSubmit={(event) => event.preventDefault()}>
      {(!isOneTask || view.task) && (
        <SearchBox
          label={t("Task or group")}
          placeholder={t("Task")}
          value={view.task}
          onChange={(task) => change({ task })}
        />
      )}
      <Facet
        label={t("failed")}
        state="failed"
        count={failed}
        isChosen={view.only === "failed"}
        toggle={() => change({ only: view.only === "failed" ? undefined : "failed" })}
      />
      {(unfinished > 0 || view.only === "unfinished") && (
        <Facet
          label={t("unfinished")}
          state="running"
          count={unfinished}
          isChosen={view.only === "unfinished"}
          toggle={() => change({ only: view.only === "unfinished" ? undefined : "unfinished" })}
        />
      )}
      <Popover
        isSmall
        look="quiet"
        icon={FilterIcon}
        isBare
        name={rare ? t("Filters ({count} set)", { count: rare }) : t("Filters")}
        label={rare || null}
      >
        <Negatable
          label={t("State")}
          value={view.state}
          change={(state) => change({ state })}
          options={Object.keys(counts)}
          nameOf={(one) => `${stateName(one === "none" ? null : one)} (${formatCount(counts[one] ?? 0)})`}
        />
        {(hasIndexes || view.index) && (
          <Negatable label={t("Map index")} value={view.index} change={(index) => change({ index })} />
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
      </Popover>
      {(rare > 0 || view.task || view.only) && (
        <IconButton isSmall icon={CloseIcon} label={t("Remove all filters")} onClick={clear} />
      )}
    </form>
  );
}
