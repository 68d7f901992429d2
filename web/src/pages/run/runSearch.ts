/** The addresses of the list of task instances, and of the page of a run: what they keep, and nothing else. */

import { amount, count, oneOf, type Readers, readerOf, text } from "../../state/searchValues";
import { LOG, type LogOptions } from "../task/log/logOptions";
import { PARTS, type TaskPart } from "../task/taskParts";
import { GANTT, type GanttOptions } from "./gantt/ganttView";
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

/** The pane of a narrow window, which shows one at a time. */
export const PANES = ["tasks", "gantt", "log"] as const;
export type Pane = (typeof PANES)[number];

/** The page of a run: the list, the picture, and the chosen task instance with its parts. */
export interface RunView extends TaskListView, GanttOptions, LogOptions {
  /** The chosen task; without it the one that matters most. */
  chosen?: string;
  map?: number;
  part?: TaskPart;
  try?: number;
  beside?: number;
  pane?: Pane;
  /** In place of the Gantt chart. */
  picture?: "graph";
  /** The open groups of the graph. */
  open?: string;
  /** The direction of the graph. */
  down?: "yes" | "no";
}

export const readRunView = readerOf<RunView>({
  ...TASK_LIST,
  ...GANTT,
  ...LOG,
  chosen: text,
  map: count,
  part: oneOf(PARTS.slice(1)),
  try: count,
  beside: count,
  pane: oneOf(PANES),
  picture: oneOf(["graph"]),
  open: text,
  down: oneOf(["yes", "no"]),
});
