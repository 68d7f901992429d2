/** What the address of a Gantt chart says. */

import { one, type Search, text } from "../../../state/searchValues";

export interface GanttView {
  task?: string;
  only?: "failed" | "unfinished" | "critical";
  sort?: "start" | "duration";
  zoom?: number;
}

export const ZOOMS = [1, 2, 4, 8, 16, 32];

export function readGanttView(search: Search): GanttView {
  const zoom = ZOOMS.find((each) => each === Number(search.zoom));
  return {
    task: text(search.task),
    only: one(["failed", "unfinished", "critical"], search.only),
    sort: one(["start", "duration"], search.sort),
    zoom: zoom === 1 ? undefined : zoom,
  };
}
