/** Splits Python source into coloured pieces, line by line. Only what one sees matters: strings, comments, keywords, numbers, decorators, names that are defined. */

export type TokenKind = "plain" | "string" | "comment" | "keyword" | "number" | "decorator" | "name" | "builtin";

export interface Token {
  kind: TokenKind;
  text: string;
}

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
    "nonlocal not or pass raise return try while with yield match case type"
  ).split(" "),
);
const BUILTINS = new Set(
  (
    "self cls print len range list dict set tuple str int float bool bytes object isinstance enumerate zip map filter sorted sum min max any all open super type " +
    "Exception ValueError TypeError KeyError RuntimeError"
  ).split(" "),
);
/** One piece: a comment, the start of a string, a decorator, a number, a word, or spaces and other characters. */
const PIECE =
  /(#.*)|((?:[rRbBuUfFtT]{0,2})("""|'''|"|'))|(^\s*@[\w.]+)|(\b(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?j?)\b)|([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)|([^#"'A-Za-z_\d@\u0080-\uffff]+|.)/gy;
/** A longer line is shown without colours. */
const LINE_MAX = 2_000;

/** The tokens of each line. A string of several lines goes on in the next. */
export function tokenize(source: string): Token[][] {
  let quote: string | undefined;
  return splitLines(source).map((line) => {
    if (line.length > LINE_MAX) return [{ kind: quote === undefined ? "plain" : "string", text: line }];
    const tokens: Token[] = [];
    let at = 0;
    if (quote !== undefined) {
      const end = findEnd(line, 0, quote);
      push(tokens, "string", line.slice(0, end.at));
      at = end.at;
      if (end.isClosed) quote = undefined;
    }
    let before = "";
    while (at < line.length) {
      PIECE.lastIndex = at;
      const found = PIECE.exec(line);
      if (!found) break;
      const [text, comment, string, mark, decorator, number, word] = found;
      at += text.length;
      if (comment !== undefined) push(tokens, "comment", text);
      else if (string !== undefined && mark !== undefined) {
        const end = findEnd(line, at, mark);
        push(tokens, "string", text + line.slice(at, end.at));
        at = end.at;
        if (!end.isClosed && mark.length === 3) quote = mark;
      } else if (decorator !== undefined) push(tokens, "decorator", text);
      else if (number !== undefined) push(tokens, "number", text);
      else if (word !== undefined) {
        push(
          tokens,
          before === "def" || before === "class"
            ? "name"
            : KEYWORDS.has(word)
              ? "keyword"
              : BUILTINS.has(word)
                ? "builtin"
                : "plain",
          text,
        );
        before = word;
      } else push(tokens, "plain", text);
    }
    return tokens;
  });
}

export function splitLines(source: string): string[] {
  const lines = source.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Where the string that is open at `from` ends in the line: behind its closing quote, or at the end of the line. */
function findEnd(line: string, from: number, quote: string): { at: number; isClosed: boolean } {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line.startsWith(quote, at)) return { at: at + quote.length, isClosed: true };
  }
  return { at: line.length, isClosed: false };
}

function push(tokens: Token[], kind: TokenKind, text: string): void {
  const last = tokens.at(-1);
  if (text === "") return;
  if (last?.kind === kind) last.text += text;
  else tokens.push({ kind, text });
}
