/** The commands of Gnomon that lead to a place of the page: there a sentence has a link instead. */

import type { components } from "../api/schema";

export type SentenceCommand = components["schemas"]["CommandAnswer"];

export interface CommandPlace {
  dagId: string;
  runId?: string;
  taskId?: string;
  /** The part of the page. */
  hash?: string;
  /** What the link says; the sentences are English. */
  words: string;
}

/** Undefined: the page has no place for the command. */
export function findPlace({ verb, names, options }: SentenceCommand): CommandPlace | undefined {
  const [dagId, runId, taskId] = names;
  if (!dagId) return undefined;
  if (verb === "tasks answer" && runId && taskId && !options.includes("--map-index"))
    return { dagId, runId, taskId, hash: "question", words: "the form on its page" };
  if (options.length > 0) return undefined;
  if (verb === "explain") return { dagId, runId, taskId, words: nameOfPage(runId, taskId) };
  if (verb === "dags unpause") return { dagId, words: "the button on its page" };
  if (verb === "dags next-runs") return { dagId, hash: "next-runs", words: "its next runs" };
  return undefined;
}

function nameOfPage(runId: string | undefined, taskId: string | undefined): string {
  return taskId ? "the page of the task" : runId ? "the page of the run" : "the page of the DAG";
}
