/** What the address of a Gantt chart says. */

import { oneOf, readerOf, text } from "../../../state/searchValues";

export interface GanttView {
  task?: string;
  only?: "failed" | "unfinished" | "critical";
  sort?: "start" | "duration";
  zoom?: number;
}

export const ZOOMS = [1, 2, 4, 8, 16, 32];

export const readGanttView = readerOf<GanttView>({
  task: text,
  only: oneOf(["failed", "unfinished", "critical"]),
  sort: oneOf(["start", "duration"]),
  zoom: (value) => ZOOMS.slice(1).find((each) => each === Number(value)),
});
