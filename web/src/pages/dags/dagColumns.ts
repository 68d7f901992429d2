/** The columns of the list of DAGs that can be hidden. */

import { useHiddenColumns } from "../../state/columns";

export const COLUMNS: readonly (readonly [string, string])[] = [
  ["last", /* text */ "Last run"],
  ["strip", /* text */ "Newest runs"],
  ["schedule", /* text */ "Schedule"],
  ["next", /* text */ "Next run"],
  ["counts", /* text */ "Runs"],
  ["recent", /* text */ "Runs of 24 hours"],
  ["owner", /* text */ "Owner"],
];
const HIDDEN = ["recent", "owner"];

export function useDagColumns() {
  return useHiddenColumns("/dags", HIDDEN);
}
