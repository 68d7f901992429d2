import { expect, test } from "vitest";
import { parseAnsi, stripAnsi } from "./ansi";

const E = "\u001b";

test("colours and marks become classes, and end where they end", () => {
  expect(parseAnsi(`a${E}[31mred${E}[1m bold${E}[0m plain`)).toEqual([
    { text: "a", look: "" },
    { text: "red", look: "ansi-red" },
    { text: " bold", look: "ansi-red ansi-bold" },
    { text: " plain", look: "" },
  ]);
  expect(parseAnsi(`${E}[42;97mx${E}[39;49my`)).toEqual([
    { text: "x", look: "ansi-white ansi-on-green" },
    { text: "y", look: "" },
  ]);
});

test("colours of 256 and of three bytes become the nearest of eight", () => {
  expect(parseAnsi(`${E}[38;5;196mx`)[0]?.look).toBe("ansi-red");
  expect(parseAnsi(`${E}[38;2;10;200;20mx${E}[4my`).map((one) => one.look)).toEqual([
    "ansi-green",
    "ansi-green ansi-underline",
  ]);
});

test("moves of the cursor, titles and links of a terminal are left out, and markup stays text", () => {
  expect(
    parseAnsi(`${E}[2K${E}]0;title\u0007<b>${E}[1A!`)
      .map((one) => one.text)
      .join(""),
  ).toBe("<b>!");
  expect(stripAnsi(`${E}[31m<script>${E}[0m`)).toBe("<script>");
});

test("a long line of escapes is read in one pass", () => {
  const before = performance.now();
  parseAnsi(`${E}[31`.repeat(100_000));
  expect(performance.now() - before).toBeLessThan(1_000);
});
