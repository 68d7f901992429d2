/** What the address of a Gantt chart says. */

import { oneOf, type Readers, readerOf, text } from "../../../state/searchValues";

/** How the lines stand; which lines there are is what the list beside the chart says, or the chart alone. */
export interface GanttOptions {
  sort?: "start" | "duration";
  zoom?: number;
}

export interface GanttView extends GanttOptions {
  task?: string;
  only?: "failed" | "unfinished" | "critical";
}

export const ZOOMS = [1, 2, 4, 8, 16, 32];

export const GANTT: Readers<GanttOptions> = {
  sort: oneOf(["start", "duration"]),
  zoom: (value) => ZOOMS.slice(1).find((each) => each === Number(value)),
};

export const readGanttView = readerOf<GanttView>({
  ...GANTT,
  task: text,
  only: oneOf(["failed", "unfinished", "critical"]),
});
