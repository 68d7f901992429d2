/** What the list of baselines shows, as its address says it. */

import type { BaselineLevel } from "../../api/baselines";

export interface BaselinesView {
  search?: string | undefined;
  level?: BaselineLevel | undefined;
}
