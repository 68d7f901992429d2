/** The address of the list of task instances: what it keeps, and nothing else. */

import type { TaskFilters } from "./taskRows";

export interface TaskListView extends TaskFilters {
  /** Keys of the lines that are not as they are by default. */
  toggled?: string[];
}

const TEXTS = ["state", "task", "operator", "pool", "queue", "index"] as const;

export function readTaskListView(search: Record<string, unknown>): TaskListView {
  const view: TaskListView = {};
  for (const field of TEXTS) {
    const value = search[field];
    if (value !== undefined && value !== null && value !== "") view[field] = String(value);
  }
  if (search.only === "failed" || search.only === "unfinished") view.only = search.only;
  const longer = Number(search.longer);
  if (search.longer !== undefined && Number.isFinite(longer) && longer >= 0) view.longer = longer;
  if (Array.isArray(search.toggled) && search.toggled.length > 0) view.toggled = search.toggled.map(String);
  return view;
}
