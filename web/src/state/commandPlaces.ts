/** The commands of Gnomon that lead to a place of the page: there a sentence has a link instead. */

import type { components } from "../api/schema";
import { t } from "./language";

export type SentenceCommand = components["schemas"]["CommandAnswer"];

export interface CommandPlace {
  dagId: string;
  runId?: string;
  taskId?: string;
  /** The part of the page. */
  hash?: string;
  /** What the link says. */
  words: string;
}

/** Undefined: the page has no place for the command. */
export function findPlace({ verb, names, options }: SentenceCommand): CommandPlace | undefined {
  const [dagId, runId, taskId] = names;
  if (!dagId) return undefined;
  if (verb === "tasks answer" && runId && taskId && !options.includes("--map-index"))
    return { dagId, runId, taskId, hash: "question", words: t("the form on its page") };
  if (["runs clear", "runs mark", "runs release"].includes(verb) && runId)
    return { dagId, runId, words: t("the button on its page") };
  if (["tasks clear", "tasks mark"].includes(verb) && runId && taskId)
    return { dagId, runId, taskId, words: t("the button on its page") };
  if (verb === "dags trigger" || verb === "dags delete") return { dagId, words: t("the button on its page") };
  if (options.length > 0) return undefined;
  if (verb === "explain") return { dagId, runId, taskId, words: nameOfPage(runId, taskId) };
  if (verb === "dags unpause") return { dagId, words: t("the button on its page") };
  if (verb === "dags next-runs") return { dagId, hash: "next-runs", words: t("its next runs") };
  return undefined;
}

function nameOfPage(runId: string | undefined, taskId: string | undefined): string {
  return taskId ? t("the page of the task") : runId ? t("the page of the run") : t("the page of the DAG");
}
