/** The line and the message of an import error, from its traceback. */

export interface ImportProblem {
  line?: number;
  message: string;
}

const MESSAGE_MAX = 300;

/** The last line of the text is the message. The line of the file stands in the last place of the traceback that is in the file, else in the message, as `FILE:LINE`. */
export function readProblem(trace: string, file: string): ImportProblem {
  const lines = trace
    .split("\n")
    .map((one) => one.trimEnd())
    .filter(Boolean);
  const message = (lines.at(-1) ?? "").replace(/^(?:\w+\.)+(?=\w+: )/, "");
  const place = lines.findLast((one) => one.trimStart().startsWith("File ") && one.includes(file));
  const number = place ? /\bline (\d+)/.exec(place)?.[1] : /^:(\d+)/.exec(message.split(file)[1] ?? "")?.[1];
  return {
    line: number === undefined ? undefined : Number(number),
    message: message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}…` : message,
  };
}
