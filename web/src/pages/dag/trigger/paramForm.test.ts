import { expect, test } from "vitest";
import { buildFields, parseConf, readDraft, startDraft } from "./paramForm";

const PARAMS = {
  plain: "text",
  day: { value: 3, schema: { type: "integer", minimum: 1, maximum: 31 }, description: "which day" },
  ratio: { value: 0.5, schema: { type: ["number", "null"] } },
  on: { value: true, schema: { type: "boolean" } },
  colour: { value: "red", schema: { enum: ["red", "blue", 7], values_display: { red: "Red!" } } },
  since: { value: "2026-01-01", schema: { type: "string", format: "date" } },
  at: { value: "2026-01-01T00:00:00+00:00", schema: { type: "string", format: "date-time", section: "Times" } },
  names: { value: ["a", "b"], schema: { type: "array", items: { type: "string" } } },
  several: { value: ["x"], schema: { type: "array", examples: ["x", "y"] } },
  tree: { value: { a: [1] }, schema: { type: "object" } },
  always: { value: 42, schema: { const: 42 } },
  needed: { value: null, schema: { type: "string", minLength: 2 } },
};
const fields = buildFields(PARAMS);
const kindOf = (name: string) => fields.find((field) => field.name === name)?.kind;

test("each schema has its kind of field", () => {
  expect(Object.keys(PARAMS).map(kindOf)).toEqual([
    "text",
    "integer",
    "number",
    "boolean",
    "select",
    "date",
    "datetime",
    "lines",
    "choices",
    "json",
    "fixed",
    "text",
  ]);
  expect(fields.find((field) => field.name === "colour")?.options[0]).toEqual({ value: "red", label: "Red!" });
  expect(fields.find((field) => field.name === "at")?.section).toBe("Times");
});

test("the values that the form shows first are read back as they are, and what is missing is named", () => {
  const { conf, faults } = readDraft(fields, startDraft(fields));
  expect(conf).toEqual({
    plain: "text",
    day: 3,
    ratio: 0.5,
    on: true,
    colour: "red",
    since: "2026-01-01",
    at: "2026-01-01T00:00:00+00:00",
    names: ["a", "b"],
    several: ["x"],
    tree: { a: [1] },
    always: 42,
    needed: null,
  });
  expect(Object.keys(faults)).toEqual(["needed"]);
});

test.each([
  ["day", "40"],
  ["day", "1.5"],
  ["day", "Monday"],
  ["tree", "{"],
  ["since", "soon"],
  ["at", "2026-01-01T00:00:00"],
  ["needed", "x"],
])("%s cannot be %s", (name, text) => {
  const draft = startDraft(fields);
  draft.texts[name] = text;
  expect(Object.keys(readDraft(fields, draft).faults)).toContain(name);
});

test("no value of a nullable field is null", () => {
  const draft = startDraft(fields);
  draft.texts.ratio = "";
  expect(readDraft(fields, draft).conf.ratio).toBeNull();
});

test("the way to JSON and back loses nothing, not even what is wrong", () => {
  const draft = startDraft(fields);
  Object.assign(draft.texts, { day: "Monday", tree: '{"a":', names: "one\ntwo" });
  draft.others = { extra: 1 };
  const conf = parseConf(JSON.stringify(readDraft(fields, draft).conf));
  const back = startDraft(fields, conf);
  expect(back.texts.day).toBe("Monday");
  expect(back.texts.tree).toBe('{"a":');
  expect(back.texts.names).toBe("one\ntwo");
  expect(back.others).toEqual({ extra: 1 });
  expect(readDraft(fields, back).conf).toEqual(readDraft(fields, draft).conf);
});
