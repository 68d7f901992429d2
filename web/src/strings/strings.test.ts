/** Every text of the page has a Chinese translation with the same values, and no translation is left without its text. */

import { expect, test } from "vitest";
import { TEXTS } from "./zh";

const sources = import.meta.glob<string>(
  ["../**/*.{ts,tsx}", "!./**", "!../**/*.test.{ts,tsx}", "!../api/schema.d.ts"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);
const TEXT = String.raw`("(?:[^"\\]|\\.)*")`;
const CALLS = [new RegExp(String.raw`\bt\(\s*${TEXT}`, "g"), new RegExp(String.raw`\btn\(\s*${TEXT},\s*${TEXT}`, "g")];
const MARKED = new RegExp(String.raw`/\* text \*/ ${TEXT}`, "g");

/** Texts in calls of t and tn, and those that a table keeps for a later call, marked by a comment: text. */
function findTexts(source: string): string[] {
  return [...CALLS, MARKED].flatMap((call) =>
    [...source.matchAll(call)].flatMap((found) => found.slice(1).map((text) => JSON.parse(text as string) as string)),
  );
}

const used = new Set(Object.values(sources).flatMap(findTexts));

test("every text has a Chinese one", () => {
  expect([...used].filter((text) => !(text in TEXTS))).toEqual([]);
});

test("every Chinese text belongs to a text of the page", () => {
  expect(Object.keys(TEXTS).filter((text) => !used.has(text))).toEqual([]);
});

test("a text has one Chinese one, in one file", () => {
  const all = Object.values(import.meta.glob<Record<string, unknown>>("./zh/*.ts", { eager: true })).flatMap((file) =>
    Object.entries(file).filter(([name]) => name !== "TEXTS"),
  );
  const keys = all.flatMap(([, texts]) => Object.keys(texts as object));
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test("both name the same values", () => {
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map((found) => found[0]).sort();
  for (const [english, chinese] of Object.entries(TEXTS)) expect(names(chinese), english).toEqual(names(english));
});

/** What stands in code, and values, which are names more often than words. */
const HIDDEN = /`[^`]*`|\{\w+\}/g;

test("punctuation beside Chinese characters is full-width", () => {
  const wrong = Object.values(TEXTS).filter((text) =>
    /[\u4e00-\u9fff][,:;!?]|[,:;!?][\u4e00-\u9fff]|\([^()]*[\u4e00-\u9fff]/.test(text.replace(HIDDEN, "x")),
  );
  expect(wrong).toEqual([]);
});

/** By the word of the field, those that stood in its place; `docs/contributing/terms-zh.md`. */
const WRONG_WORDS = {
  延迟: "迟到",
  待调度: "已安排",
  补数据: "回填",
  周期: "时段",
  槽位: "插槽",
  计划时间: "到期",
  账号: "帐户",
  池: "资源池",
  触发进程: "触发器进程",
};

test("the words are those of the field", () => {
  const all = Object.values(TEXTS);
  for (const [right, wrong] of Object.entries(WRONG_WORDS))
    expect(
      all.filter((text) => text.includes(wrong)),
      right,
    ).toEqual([]);
});

/** The word for each of these, wherever the English text has it. */
const TERMS: [RegExp, string][] = [
  [/\b[Aa]ccounts?\b/, "账号"],
  [/\b[Aa]ssets?\b/, "资产"],
  [/\b[Bb]ackfills?\b/, "补数据"],
  [/\b[Dd]eferred\b/, "挂起"],
  [/\b[Pp]ools?\b/, "池"],
  [/\b[Tt]ask instances?\b/, "任务实例"],
  [/\b[Tt]imetables?\b/, "时间表"],
  [/\b[Tt]riggerers?\b/, "触发进程"],
  [/\bUnpauses?\b|\bunpaused\b/, "取消暂停"],
  [/\b[Ww]orkers?\b/, "工作进程"],
];

test("a term has one word", () => {
  const wrong = Object.entries(TEXTS).flatMap(([english, chinese]) => {
    const said = english.replace(HIDDEN, "").replace(/\|\w+$/, "");
    return TERMS.filter(([term, word]) => term.test(said) && !chinese.includes(word)).map(() => [english, chinese]);
  });
  expect(wrong).toEqual([]);
});
