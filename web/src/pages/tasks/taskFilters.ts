/** The filters of the list of task instances, as they are in the address. */

import { TASK_STATES, type TaskSearch } from "../../api/overviews";
import type { FilterField } from "../../components/filters/chipSearch";
import { dropEmpty, readPeriod, readText } from "../../components/filters/ListFilters";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { known } from "../runs/runFilters";

export const TASK_SORTS: [string, string][] = [
  ["-run_after", /* text */ "due last first"],
  ["run_after", /* text */ "due first first"],
];

export function readTaskSearch(search: Record<string, unknown>): TaskSearch {
  return dropEmpty({
    dag_id: readText(search.dag_id),
    dag: readText(search.dag),
    run: readText(search.run),
    task: readText(search.task),
    state: known(TASK_STATES, search.state),
    state_not: known(TASK_STATES, search.state_not),
    operator: readText(search.operator),
    pool: readText(search.pool),
    queue: readText(search.queue),
    map: readMapIndex(search.map),
    sort: TASK_SORTS.slice(1).find(([sort]) => sort === search.sort)?.[0],
    ...readPeriod(search),
  });
}

/** `3`, or `!3` for the others. */
function readMapIndex(value: unknown): number | string | undefined {
  const text = readText(value);
  if (text === undefined || !/^!?(-1|\d{1,9})$/.test(text)) return undefined;
  return text.startsWith("!") ? text : Number(text);
}

export function taskTexts(): FilterField[] {
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

export function taskFields(): FilterField[] {
  return [
    { field: "state", label: t("State"), name: (state) => (state === "none" ? t("no state") : stateName(state)) },
  ];
}
