/** The run of its DAG that a sentence of the server is about. */

const RUN = /^run (.+?)(?= ended in state | is (?:queued|running)\b)/;

/** The id of the run with which the sentence begins; undefined if it begins otherwise. */
export function findRun(text: string): string | undefined {
  return RUN.exec(text)?.[1];
}
