/** The filters of the DAG list: how they are in the address, and what they are called. */

import { DAG_FLAGS, DAG_VALUES, type DagSearch } from "../../api/overviews";
import { type FilterField, some } from "../../components/filters/chipSearch";
import { stateName } from "../../components/StateBadge";
import { t } from "../../state/language";

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

export function valueFields(): FilterField[] {
  return DAG_VALUES.map((field) => ({
    field,
    label: t(VALUE_LABELS[field]),
    name: field === "state" ? nameState : undefined,
  }));
}

export function flagFields(): FilterField[] {
  return DAG_FLAGS.map((field) => ({ field, label: t(FLAG_LABELS[field]) }));
}

export function nameState(state: string): string {
  return state === "none" ? t("without runs") : stateName(state);
}

/** The filters of an address; what is no filter is left out. */
export function readDagSearch(search: Record<string, unknown>): DagSearch {
  const page = Number(search.page ?? 1);
  const found: Record<string, unknown> = {
    search: search.search === undefined || search.search === "" ? undefined : String(search.search),
    mode: search.mode === "all" ? "all" : undefined,
    sort: SORTS.some(([sort]) => sort === search.sort) && search.sort !== "dag_id" ? search.sort : undefined,
    page: Number.isInteger(page) && page > 1 ? page : undefined,
    view: search.view === "all" ? "all" : undefined,
  };
  for (const field of DAG_VALUES) {
    found[field] = some(search[field]);
    found[`${field}_not`] = some(search[`${field}_not`]);
  }
  for (const field of DAG_FLAGS) {
    const value = search[field];
    found[field] =
      value === undefined || value === ""
        ? undefined
        : String(value) === "true"
          ? true
          : String(value) === "false"
            ? false
            : undefined;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as DagSearch;
}
