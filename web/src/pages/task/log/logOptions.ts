/** What a log shows, as the address of its task has it. */

import type { Level } from "../../../api/logs";
import { count, oneOf, type Readers, text } from "../../../state/searchValues";

export interface LogOptions {
  find?: string;
  level?: Level;
  source?: number;
  /** 12 or `12-40`, counted from 1. */
  line?: string | number;
}

const LEVELS: readonly Level[] = ["debug", "info", "warning", "error", "critical"];

export const LOG: Readers<LogOptions> = {
  find: text,
  level: oneOf(LEVELS),
  source: count,
  line: (value) => count(value) ?? text(value),
};
