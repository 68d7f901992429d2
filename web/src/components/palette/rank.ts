/** Which entries of the palette fit what is typed, the best first. */

export interface Ranked {
  /** What the text is compared with: the label and other words, such as the English name on a Chinese page. */
  words: string;
}

/** Entries in which every typed word occurs. A word at the start of a name counts more than one at the start of a part, and that more than one within. */
export function rankEntries<T extends Ranked>(typed: string, entries: readonly T[]): T[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .map((entry, at) => ({ entry, at, score: scoreWords(wanted, entry.words.toLowerCase()) }))
    .filter((one) => one.score >= 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map((one) => one.entry);
}

function scoreWords(wanted: string[], words: string): number {
  let score = 0;
  for (const word of wanted) {
    const at = words.indexOf(word);
    if (at < 0) return -1;
    if (at === 0) score += words.length === word.length ? 4 : 3;
    else score += new RegExp(`[\\W_]${escape(word)}`).test(words) ? 2 : 1;
  }
  return score;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The text in pieces, of which every second one is a word that was typed. */
export function splitMarks(text: string, typed: string): string[] {
  const words = typed.trim().split(/\s+/).filter(Boolean);
  return words.length === 0 ? [text] : text.split(new RegExp(`(${words.map(escape).join("|")})`, "i"));
}

/** The verb in front of what is typed, if it is one, and the rest: `pause night` is ("pause", "night"). */
export function splitVerb(typed: string, verbs: readonly string[]): { verb: string | undefined; rest: string } {
  const [first = "", ...others] = typed.trim().split(/\s+/);
  const verb = verbs.find((one) => one === first.toLowerCase());
  return verb === undefined ? { verb: undefined, rest: typed.trim() } : { verb, rest: others.join(" ") };
}
