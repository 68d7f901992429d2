/** The parts of a task instance, in the order of their tabs, each with its name and its key. */

export const PARTS = ["log", "tries", "xcoms", "details"] as const;
export type TaskPart = (typeof PARTS)[number];

export const PART_NAMES: Record<TaskPart, string> = {
  log: /* text */ "Log",
  tries: /* text */ "Tries",
  xcoms: /* text */ "XComs",
  details: /* text */ "Details",
};
