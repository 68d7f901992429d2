/** The filters of the list of runs, as they are in the address. */

import { RUN_STATES, RUN_TYPES, type RunSearch } from "../../api/overviews";
import { type FilterField, some } from "../../components/filters/chipSearch";
import { dropEmpty, readPeriod, readText } from "../../components/filters/ListFilters";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";

export const RUN_SORTS: [string, string][] = [
  ["-run_after", /* text */ "due last first"],
  ["-end_date", /* text */ "ended last first"],
  ["-start_date", /* text */ "started last first"],
  ["dag_id", /* text */ "by DAG"],
];

export function readRunSearch(search: Record<string, unknown>): RunSearch {
  return dropEmpty({
    dag_id: readText(search.dag_id),
    dag: readText(search.dag),
    run: readText(search.run),
    state: known(RUN_STATES, search.state),
    state_not: known(RUN_STATES, search.state_not),
    type: known(RUN_TYPES, search.type),
    type_not: known(RUN_TYPES, search.type_not),
    schedule: some(search.schedule),
    schedule_not: some(search.schedule_not),
    late:
      search.late === true || search.late === "true"
        ? true
        : search.late === false || search.late === "false"
          ? false
          : undefined,
    sort: RUN_SORTS.slice(1).find(([sort]) => sort === search.sort)?.[0],
    ...readPeriod(search),
  });
}

/** The values of an address that exist. */
export function known(values: readonly string[], given: unknown): string[] | undefined {
  return some(some(given)?.filter((one) => values.includes(one)));
}

export function runFlags(): FilterField[] {
  return [{ field: "late", label: t("late") }];
}

export function runTexts(): FilterField[] {
  return [
    { field: "dag", label: t("DAG") },
    { field: "run", label: t("Run") },
  ];
}

export function runFields(): FilterField[] {
  return [
    { field: "state", label: t("State"), name: stateName },
    { field: "type", label: t("Type"), name: stateName },
    { field: "schedule", label: t("Timetable") },
  ];
}
