/** The filters of the DAG list: how they are in the address, and what they are called. */

import { DAG_FLAGS, DAG_VALUES, type DagSearch } from "../../api/overviews";
import type { FilterField } from "../../components/filters/chipSearch";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";
import { flag, oneOf, pageNumber, readerOf, text, texts } from "../../state/searchValues";

const VALUE_LABELS: Record<(typeof DAG_VALUES)[number], string> = {
  tag: /* text */ "Tag",
  owner: /* text */ "Owner",
  state: /* text */ "Last run",
  schedule: /* text */ "Timetable",
  folder: /* text */ "Folder",
};
const FLAG_LABELS: Record<(typeof DAG_FLAGS)[number], string> = {
  paused: /* text */ "paused",
  unscheduled: /* text */ "without a schedule",
  late: /* text */ "late",
  warning: /* text */ "with a warning",
  import_error: /* text */ "with an import error",
  favorite: /* text */ "favourite",
};
export const SORTS: [string, string][] = [
  ["dag_id", /* text */ "name"],
  ["-last_run", /* text */ "newest run first"],
  ["next_run", /* text */ "next run first"],
  ["-duration", /* text */ "longest last run first"],
  ["-failures", /* text */ "most failures first"],
];
/** The states of a newest run; `none` is a DAG without runs. */
export const LAST_STATES = ["failed", "running", "queued", "success", "none"];

export function valueFields(): FilterField<(typeof DAG_VALUES)[number]>[] {
  return DAG_VALUES.map((field) => ({
    field,
    label: t(VALUE_LABELS[field]),
    name: field === "state" ? nameState : undefined,
  }));
}

export function flagFields(): FilterField<(typeof DAG_FLAGS)[number]>[] {
  return DAG_FLAGS.map((field) => ({ field, label: t(FLAG_LABELS[field]) }));
}

export function nameState(state: string): string {
  return state === "none" ? t("without runs") : stateName(state);
}

/** The filters of an address. */
export const readDagSearch = readerOf<DagSearch>({
  search: text,
  mode: oneOf(["all"]),
  sort: oneOf(SORTS.slice(1).map(([sort]) => sort)),
  page: pageNumber,
  view: oneOf(["all"]),
  tag: texts,
  tag_not: texts,
  owner: texts,
  owner_not: texts,
  state: texts,
  state_not: texts,
  schedule: texts,
  schedule_not: texts,
  folder: texts,
  folder_not: texts,
  paused: flag,
  unscheduled: flag,
  late: flag,
  warning: flag,
  import_error: flag,
  favorite: flag,
});
