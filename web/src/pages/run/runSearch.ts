/** The address of the list of task instances: what it keeps, and nothing else. */

import { amount, oneOf, type Readers, readerOf, text } from "../../state/searchValues";
import type { TaskFilters } from "./taskRows";

export interface TaskListView extends TaskFilters {
  /** Keys of the lines that are not as they are by default. */
  toggled?: string[];
}

export const TASK_LIST: Readers<TaskListView> = {
  state: text,
  task: text,
  operator: text,
  pool: text,
  queue: text,
  index: text,
  only: oneOf(["failed", "unfinished"]),
  longer: amount,
  toggled: (value) => (Array.isArray(value) && value.length > 0 ? value.map(String) : undefined),
};

export const readTaskListView = readerOf(TASK_LIST);
