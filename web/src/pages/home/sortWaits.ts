/** What waits, by who can do something about it: a person who is asked, somebody who takes away what blocks it, or nobody because it goes as planned. */

import type { Work } from "../../api/shapes";

export type Wait = Work["waiting"][number];
export type WaitKind = "asked" | "blocked" | "planned";

/** A sentence with a command says what somebody has to do: `tasks answer` is the answer to a question. */
function findKind(wait: Wait): WaitKind {
  const verbs = wait.coded.flatMap((one) =>
    one.spans.flatMap((span) => (span.kind === "command" ? [span.command?.verb ?? ""] : [])),
  );
  if (verbs.includes("tasks answer")) return "asked";
  return verbs.length > 0 ? "blocked" : "planned";
}

export function sortWaits(waiting: readonly Wait[]): Record<WaitKind, Wait[]> {
  const sorted: Record<WaitKind, Wait[]> = { asked: [], blocked: [], planned: [] };
  for (const wait of waiting) sorted[findKind(wait)].push(wait);
  return sorted;
}
