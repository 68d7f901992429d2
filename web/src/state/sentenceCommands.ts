/** The commands in a sentence of the server that lead to a place of the page: there they are shown as links. */

export interface CommandPlace {
  dagId: string;
  runId?: string;
  taskId?: string;
  /** The part of the page. */
  hash?: string;
  /** What the link says; the sentences are English. */
  words: string;
}

export interface SentencePart {
  text: string;
  place?: CommandPlace;
}

const WORD = String.raw`'(?:[^']|'"'"')+'|[^\s'\x60;]+`;
const COMMAND = new RegExp(
  String.raw`\x60?gnomon (?:explain|tasks answer|dags unpause|dags next-runs)(?: (?:${WORD}))+\x60?`,
  "g",
);

/** The parts of a text in their order; a command that leads to no place of the page stays text. */
export function splitCommands(text: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let end = 0;
  for (const found of text.matchAll(COMMAND)) {
    const place = findPlace(found[0], text[found.index + found[0].length]);
    if (!place) continue;
    if (found.index > end) parts.push({ text: text.slice(end, found.index) });
    parts.push({ text: found[0].replaceAll("`", ""), place });
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

const ANSWER_CLAUSE = "; answer with: gnomon tasks answer ";

/** The text of a condition without the command that answers its question, for a place where a button leads to the form. The command is the end of the text. */
export function cutAnswerCommand(text: string): string {
  const at = text.lastIndexOf(ANSWER_CLAUSE);
  return at < 0 ? text : text.slice(0, at);
}

/** Undefined also for a command that goes on as a sentence, which is not known to end where it seems to. */
function findPlace(command: string, next: string | undefined): CommandPlace | undefined {
  if (next !== undefined && !command.endsWith("`") && next !== ";") return undefined;
  const [first, second, ...rest] = (command.replaceAll("`", "").match(new RegExp(WORD, "g")) ?? [])
    .slice(1)
    .map(unquote);
  if (first === "explain") return explainPlace([second ?? "", ...rest]);
  const [dagId, runId, taskId] = rest;
  if (!dagId) return undefined;
  if (`${first} ${second}` === "tasks answer" && runId && taskId && !rest.includes("--map-index"))
    return { dagId, runId, taskId, hash: "question", words: "the form on its page" };
  if (`${first} ${second}` === "dags unpause" && rest.length === 1) return { dagId, words: "the button on its page" };
  if (`${first} ${second}` === "dags next-runs" && rest.length === 1)
    return { dagId, hash: "next-runs", words: "its next runs" };
  return undefined;
}

function explainPlace(names: string[]): CommandPlace | undefined {
  const [dagId, runId, taskId] = names;
  if (!dagId || names.length > 3 || names.some((one) => one.startsWith("--")) || taskId?.includes("["))
    return undefined;
  return {
    dagId,
    runId,
    taskId,
    words: taskId ? "the page of the task" : runId ? "the page of the run" : "the page of the DAG",
  };
}

/** As the shell reads a quoted word. */
function unquote(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'"'"'`, "'") : word;
}
