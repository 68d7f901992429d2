/** Counts as people read them, in the language of the page. */

import { readShownLanguage } from "./languages";

type Look = "whole" | "short" | "percent";

const OPTIONS: Record<Look, Intl.NumberFormatOptions> = {
  whole: {},
  percent: { style: "percent" },
  short: { notation: "compact", roundingMode: "trunc" } as Intl.NumberFormatOptions,
};
const formats = new Map<string, Intl.NumberFormat>();

/** One formatter a language: to make one takes longer than to use it a hundred times. */
function findFormat(look: Look): Intl.NumberFormat {
  const language = readShownLanguage();
  const key = `${look} ${language}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, OPTIONS[look]);
    formats.set(key, format);
  }
  return format;
}

/** `1,234`. */
export function formatCount(count: number): string {
  return findFormat("whole").format(count);
}

/** `950`, `12K`, `1.2M`: at most four characters, where there is no room for all. Never more than there are. */
export function formatShort(count: number): string {
  return findFormat("short").format(count);
}

/** `34%` of a share of 0.34. */
export function formatPercent(share: number): string {
  return findFormat("percent").format(share);
}
