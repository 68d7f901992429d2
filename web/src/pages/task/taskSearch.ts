/** The address of a task: which instance, which try, which part of it, and the options of that part. */

import type { Level } from "../../api/logs";
import { readTaskListView, type TaskListView } from "../run/runSearch";
import type { LogOptions } from "./log/logOptions";

export const PARTS = ["log", "tries", "xcoms", "details"] as const;
export type TaskPart = (typeof PARTS)[number];
const LEVELS: readonly Level[] = ["debug", "info", "warning", "error", "critical"];

export interface TaskView extends LogOptions, Omit<TaskListView, "task" | "index"> {
  map?: number;
  try?: number;
  /** A second try, whose log stands beside that of the first. */
  beside?: number;
  part?: TaskPart;
  task?: string;
  index?: string;
}

export function readTaskView(search: Record<string, unknown>): TaskView {
  const part = PARTS.find((one) => one === search.part);
  const level = LEVELS.find((one) => one === search.level);
  return {
    ...readTaskListView(search),
    map: count(search.map),
    try: count(search.try),
    beside: count(search.beside),
    part: part === "log" ? undefined : part,
    find: text(search.find),
    level,
    source: count(search.source),
    line: count(search.line) ?? text(search.line),
  };
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

function count(value: unknown): number | undefined {
  const number = Number(value);
  return value !== undefined && value !== null && value !== "" && Number.isInteger(number) && number >= 0
    ? number
    : undefined;
}
