/** The filters of the list of task instances, as they are in the address. */

import { TASK_STATES, type TaskSearch } from "../../api/overviews";
import type { FilterField } from "../../components/filters/chipSearch";
import { PERIOD } from "../../components/filters/ListFilters";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { oneOf, readerOf, someOf, text } from "../../state/searchValues";

export const TASK_SORTS: [string, string][] = [
  ["-run_after", /* text */ "due last first"],
  ["run_after", /* text */ "due first first"],
];

export const readTaskSearch = readerOf<TaskSearch>({
  ...PERIOD,
  dag_id: text,
  dag: text,
  run: text,
  task: text,
  state: someOf(TASK_STATES),
  state_not: someOf(TASK_STATES),
  operator: text,
  pool: text,
  queue: text,
  map: mapIndex,
  sort: oneOf(TASK_SORTS.slice(1).map(([sort]) => sort)),
  cursor: text,
  view: oneOf(["all"]),
});

/** `3`, or `!3` for the others. */
function mapIndex(value: unknown): number | string | undefined {
  const found = text(value);
  if (found === undefined || !/^!?(-1|\d{1,9})$/.test(found)) return undefined;
  return found.startsWith("!") ? found : Number(found);
}

export function taskTexts(): FilterField<keyof TaskSearch>[] {
  return [
    { field: "dag", label: t("DAG") },
    { field: "run", label: t("Run") },
    { field: "task", label: t("Task") },
    { field: "operator", label: t("Operator") },
    { field: "pool", label: t("Pool") },
    { field: "queue", label: t("Queue") },
    { field: "map", label: t("Map index") },
  ];
}

export function taskFields(): FilterField<keyof TaskSearch>[] {
  return [
    { field: "state", label: t("State"), name: (state) => (state === "none" ? t("no state") : stateName(state)) },
  ];
}
