/** What the address of a graph says. */

import { oneOf, readerOf, text } from "../../../state/searchValues";

export interface GraphView {
  run?: string;
  /** The open groups, divided by commas; "-": none. Without it those that fit are open. */
  open?: string;
  find?: string;
  /** The key of the chosen node. */
  node?: string;
  as?: "table";
  /** From top to bottom instead of from left to right; undefined: only in a narrow window. */
  down?: "yes" | "no";
}

export const readGraphView = readerOf<GraphView>({
  run: text,
  open: text,
  find: text,
  node: text,
  as: oneOf(["table"]),
  down: oneOf(["yes", "no"]),
});

/** Group ids have no comma. */
export function readOpen(open: string | undefined): Set<string> | undefined {
  if (open === undefined) return undefined;
  return new Set(open === "-" ? [] : open.split(","));
}

export function writeOpen(open: ReadonlySet<string>): string {
  return open.size === 0 ? "-" : [...open].sort().join(",");
}
