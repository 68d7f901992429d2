/** What a log shows, as the address of its task has it. */

import type { Level } from "../../../api/logs";

export interface LogOptions {
  find?: string;
  level?: Level;
  source?: number;
  /** 12 or `12-40`, counted from 1. */
  line?: string | number;
}
