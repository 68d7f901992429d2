/** The texts of the page in the language of its user. The English text is the key of its translation, so a text that lacks one is still readable. */

import { listLanguages } from "./languages";
import { formatCount } from "./numbers";
import { LANGUAGE, readPreference } from "./preferences";

type Translations = Record<string, string>;

/** The languages whose texts the page was built with. */
const BUILT = import.meta.glob<{ TEXTS: Translations }>("../strings/*/index.ts");
let translations: Translations = {};

/** The chosen language; without a choice the first of the browser that there is. */
export function chooseLanguage(): string {
  const known = listLanguages();
  const chosen = readPreference(LANGUAGE);
  if (chosen in known) return chosen;
  return navigator.languages.map((one) => one.toLowerCase().split("-")[0] ?? "").find((one) => one in known) ?? "en";
}

/** Read the texts of the language, once before the page is shown; a text that it lacks is English. */
export async function loadLanguage(language: string): Promise<void> {
  document.documentElement.lang = language;
  if (language === "en") return;
  const built = BUILT[`../strings/${language}/index.ts`];
  translations = built ? (await built()).TEXTS : await readTexts(language);
}

/** The page's own texts in a language that the page was not built with. */
async function readTexts(language: string): Promise<Translations> {
  const answer = await fetch(`/page-languages/${language}`);
  return answer.ok ? ((await answer.json()) as Translations) : {};
}

/** A text with its values in the place of `{name}`, counts as the language writes them. The first argument is written out, so that the test of the strings finds it.
 * Where one English text has several translations, what it is about follows behind a line: `By|answer`. */
export function t(text: string, values: Record<string, string | number> = {}): string {
  return (translations[text] ?? text.replace(CONTEXT, "")).replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? isolate(tell(name, values[name] as string | number)) : whole,
  );
}

/** Numbers that name one thing: a version, a line, a year. All others are counts. */
const NAMES: ReadonlySet<string> = new Set(["number", "year", "line", "version", "status"]);

function tell(name: string, value: string | number): string {
  return typeof value === "number" && !NAMES.has(name) ? formatCount(value) : String(value);
}

const CONTEXT = /\|\w+$/;
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
const ISOLATES = /[\u2066-\u2069]/g;

/** A value with marks of direction in an isolate of its own: the words behind it keep their direction. */
function isolate(value: string): string {
  return TURNS.test(value) ? `\u2068${value.replace(ISOLATES, "")}\u2069` : value;
}

/** A text for a count of one and a text for other counts; both may name {count}. */
export function tn(one: string, many: string, count: number, values: Record<string, string | number> = {}): string {
  return t(count === 1 ? one : many, { count, ...values });
}
