// @vitest-environment happy-dom

import { afterEach, expect, test } from "vitest";
import { t, tn } from "./language";
import { formatCount, formatShort } from "./numbers";

afterEach(() => {
  document.documentElement.lang = "";
});

test("a count is grouped as the language of the page does", () => {
  expect(formatCount(1_234_567)).toBe("1,234,567");
  document.documentElement.lang = "de";
  expect(formatCount(1_234_567)).toBe("1.234.567");
  document.documentElement.lang = "zh";
  expect(formatShort(12_345)).toBe("1.2万");
});

test("a short count has at most four characters, and is never more than there are", () => {
  expect([7, 950, 999, 1_234, 12_999, 999_999, 1_250_000].map(formatShort)).toEqual([
    "7",
    "950",
    "999",
    "1.2K",
    "12K",
    "999K",
    "1.2M",
  ]);
});

test("numbers of a text are counts, but for those that name one thing", () => {
  expect(t("{shown} of {total} tasks", { shown: 1_000, total: 25_000 })).toBe("1,000 of 25,000 tasks");
  expect(tn("{count} line", "{count} lines", 4_000)).toBe("4,000 lines");
  expect(t("log of try {number}", { number: 1_234 })).toBe("log of try 1234");
  expect(t("Year {year}", { year: 2026 })).toBe("Year 2026");
});
