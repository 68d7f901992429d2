/** The texts of the page in the language of its user. The English text is the key of its translation, so a text that lacks one is still readable. */

import { LANGUAGE, readPreference } from "./preferences";

export type Language = "en" | "zh";
type Translations = Record<string, string>;

let translations: Translations = {};

/** The chosen language; without a choice that of the browser, if the page has it. */
export function chooseLanguage(): Language {
  const chosen = readPreference(LANGUAGE);
  if (chosen !== "system") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** Read the texts of the language, once before the page is shown; only a Chinese page loads the Chinese texts. */
export async function loadLanguage(language: Language): Promise<void> {
  document.documentElement.lang = language;
  translations = language === "zh" ? (await import("../strings/zh")).TEXTS : {};
}

/** A text with its values in the place of `{name}`. The first argument is written out, so that the test of the strings finds it.
 * Where one English text has several translations, what it is about follows behind a line: `By|answer`. */
export function t(text: string, values: Record<string, string | number> = {}): string {
  return (translations[text] ?? text.replace(CONTEXT, "")).replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? isolate(String(values[name])) : whole,
  );
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
  return t(count === 1 ? one : many, { count: count.toLocaleString("en"), ...values });
}
