/** The Chinese texts, by their English ones: one file for each area of the page. */

import { ADMINISTRATION } from "./administration";
import { ASSETS } from "./assets";
import { BASELINES } from "./baselines";
import { DEPENDENCIES } from "./dependencies";
import { EVENTS } from "./events";
import { FRAME } from "./frame";
import { GALLERY } from "./gallery";
import { GRAPH } from "./graph";
import { GRID } from "./grid";
import { HOME } from "./home";
import { LISTS } from "./lists";
import { LOG } from "./log";
import { PALETTE } from "./palette";
import { PLAN } from "./plan";
import { RUN } from "./run";
import { STATES } from "./states";
import { TASK } from "./task";
import { TIMETABLES } from "./timetables";
import { WHAT_IF } from "./whatIf";
import { INSTALLATION } from "./installation";
import { TOUR } from "./tour";
import { WORK } from "./work";

export const TEXTS: Record<string, string> = {
  ...ADMINISTRATION,
  ...ASSETS,
  ...BASELINES,
  ...DEPENDENCIES,
  ...EVENTS,
  ...FRAME,
  ...GALLERY,
  ...GRAPH,
  ...GRID,
  ...HOME,
  ...LISTS,
  ...LOG,
  ...PALETTE,
  ...PLAN,
  ...RUN,
  ...STATES,
  ...TASK,
  ...TIMETABLES,
  ...WHAT_IF,
  ...WORK,
  ...INSTALLATION,
  ...TOUR,
};
