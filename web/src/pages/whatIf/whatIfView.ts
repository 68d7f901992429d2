/** What the page shows, as its address says it: the changes, how far, and the simulation that was made of them. */

import { oneOf, texts, text } from "../../state/searchValues";

export const SPANS = ["6h", "12h", "1d", "2d", "7d"] as const;
export type SpanName = (typeof SPANS)[number];
export const SPAN: SpanName = "1d";

export interface WhatIfView {
  /** `set load.copy=+50%` */
  change?: string[] | undefined;
  for?: SpanName | undefined;
  /** The id of the newest simulation of this account. */
  id?: string | undefined;
  /** `all`: also runs that are as before. */
  runs?: "all" | undefined;
  search?: string | undefined;
}

export const READERS = { change: texts, for: oneOf(SPANS), id: text, runs: oneOf(["all"] as const), search: text };
