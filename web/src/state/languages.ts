/** The languages that the page can be shown in: English, and those of the files of the server. */

import { readMeta } from "./meta";

/** Their names, by their ids. */
export function listLanguages(): Record<string, string> {
  const others = typeof document === "undefined" ? "" : readMeta("gnomon-languages");
  return { en: "English", ...(JSON.parse(others || "{}") as Record<string, string>) };
}

/** The id of the language in which the page is shown. */
export function readShownLanguage(): string {
  return (typeof document === "undefined" ? "" : document.documentElement.lang) || "en";
}
