import { expect, test } from "vitest";
import { tokenize } from "./pythonTokens";

const SOURCE = `@task(retries=3)
def load(day: int = 0x1f) -> str:  # reads "a day"
    """Loads
    the 'day' # no comment
    """
    text = f"it\\"s {day}" + 'x' + 1.5e3
    return text
é = "unclosed
`;

test("no character is lost or changed", () => {
  expect(
    tokenize(SOURCE)
      .map((line) => line.map((token) => token.text).join(""))
      .join("\n") + "\n",
  ).toBe(SOURCE);
});

test("strings, comments, keywords and names have their kinds", () => {
  const lines = tokenize(SOURCE);
  const kindOf = (line: number, text: string) => lines[line]?.find((token) => token.text.includes(text))?.kind;
  expect(kindOf(0, "@task")).toBe("decorator");
  expect(kindOf(1, "def")).toBe("keyword");
  expect(kindOf(1, "load")).toBe("name");
  expect(kindOf(1, "0x1f")).toBe("number");
  expect(kindOf(1, "# reads")).toBe("comment");
  expect(lines[3]).toEqual([{ kind: "string", text: "    the 'day' # no comment" }]);
  expect(kindOf(5, 'it\\"s')).toBe("string");
  expect(kindOf(5, "1.5e3")).toBe("number");
  expect(kindOf(6, "return")).toBe("keyword");
});

test("a hostile line ends in time", () => {
  const line = "\\\"'#@".repeat(400_000);
  expect(tokenize(line)).toEqual([[{ kind: "plain", text: line }]]);
  expect(tokenize('"""' + "a\n".repeat(20_000)).length).toBe(20_000);
});
