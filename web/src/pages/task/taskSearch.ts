/** The address of a task: which instance, which try, which part of it, and the options of that part. */

import { count, oneOf, readerOf } from "../../state/searchValues";
import { TASK_LIST, type TaskListView } from "../run/runSearch";
import { LOG, type LogOptions } from "./log/logOptions";
import { PARTS, type TaskPart } from "./taskParts";

export interface TaskView extends LogOptions, Omit<TaskListView, "task" | "index"> {
  map?: number;
  try?: number;
  /** A second try, whose log stands beside that of the first. */
  beside?: number;
  part?: TaskPart;
  task?: string;
  index?: string;
}

export const readTaskView = readerOf<TaskView>({
  ...TASK_LIST,
  ...LOG,
  map: count,
  try: count,
  beside: count,
  part: oneOf(PARTS.slice(1)),
});
