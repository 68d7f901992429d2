/** What the address of the graph of DAGs and assets says. */

import type { Fold } from "./graphModel";

export interface GraphView {
  fold?: Fold;
  /** Names of open groups, as JSON. */
  open?: string;
  find?: string;
  /** Only this DAG, what comes before it and what comes after it. */
  dag?: string;
  assets?: "hidden";
  /** The key of the chosen node. */
  node?: string;
  as?: "table";
}
