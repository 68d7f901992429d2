/** The filters of the list of runs, as they are in the address. */

import { RUN_STATES, RUN_TYPES, type RunSearch } from "../../api/overviews";
import type { FilterField } from "../../components/filters/chipSearch";
import { PERIOD } from "../../components/filters/ListFilters";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { flag, oneOf, readerOf, someOf, text, texts } from "../../state/searchValues";

export const RUN_SORTS: [string, string][] = [
  ["-run_after", /* text */ "due last first"],
  ["-end_date", /* text */ "ended last first"],
  ["-start_date", /* text */ "started last first"],
  ["dag_id", /* text */ "by DAG"],
];

export const readRunSearch = readerOf<RunSearch>({
  ...PERIOD,
  dag_id: text,
  dag: text,
  run: text,
  state: someOf(RUN_STATES),
  state_not: someOf(RUN_STATES),
  type: someOf(RUN_TYPES),
  type_not: someOf(RUN_TYPES),
  schedule: texts,
  schedule_not: texts,
  late: flag,
  sort: oneOf(RUN_SORTS.slice(1).map(([sort]) => sort)),
  cursor: text,
  view: oneOf(["all"]),
});

export function runFlags(): FilterField<keyof RunSearch>[] {
  return [{ field: "late", label: t("late") }];
}

export function runTexts(): FilterField<keyof RunSearch>[] {
  return [
    { field: "dag", label: t("DAG") },
    { field: "run", label: t("Run") },
  ];
}

export function runFields(): FilterField<keyof RunSearch>[] {
  return [
    { field: "state", label: t("State"), name: stateName },
    { field: "type", label: t("Type"), name: stateName },
    { field: "schedule", label: t("Timetable") },
  ];
}
