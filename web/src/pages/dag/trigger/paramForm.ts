/** The form of a DAG's params: from JSON schema to fields, from what is typed to values, and back. */

export type Kind =
  | "text"
  | "multiline"
  | "number"
  | "integer"
  | "boolean"
  | "select"
  | "date"
  | "datetime"
  | "time"
  | "lines"
  | "choices"
  | "json"
  | "fixed";

export interface Option {
  value: unknown;
  label: string;
}

export interface ParamField {
  name: string;
  kind: Kind;
  label: string;
  description: string;
  /** The description is Markdown: `description_md` of the schema. */
  isMarkdown: boolean;
  section: string;
  /** There is no default: the user must give a value. */
  isRequired: boolean;
  /** No value is null. */
  isNullable: boolean;
  /** The values of which one, or several, are chosen. */
  options: Option[];
  /** Values that a text field offers. */
  suggestions: string[];
  initial: unknown;
  schema: Record<string, unknown>;
}

/** What is typed into each field, and the conf of names that are no params. */
export interface Draft {
  texts: Record<string, string>;
  others: Record<string, unknown>;
}

/** A value, or what is wrong with a text. The fault is a key of the page's texts. */
export type Reading = { value: unknown } | { fault: Fault };

export interface Fault {
  text: string;
  values?: Record<string, string | number>;
}

type Schema = Record<string, unknown>;

/** The fields of the params as `GET /dags/{dag_id}/details` gives them: with schema and description, or a value alone. */
export function buildFields(params: Record<string, unknown>): ParamField[] {
  return Object.entries(params).map(([name, param]) => {
    const full = isObject(param) && "value" in param ? param : { value: param };
    return buildField(name, full.value, isObject(full.schema) ? full.schema : {}, full.description);
  });
}

function buildField(name: string, initial: unknown, schema: Schema, description: unknown): ParamField {
  const types = listTypes(schema, initial);
  const kind = chooseKind(types, schema, initial);
  const values = Array.isArray(schema.enum) ? schema.enum : listSuggested(schema);
  const labels = isObject(schema.values_display) ? schema.values_display : {};
  const options = values.map((value: unknown) => ({
    value,
    label: String(labels[String(value)] ?? (typeof value === "string" ? value : JSON.stringify(value))),
  }));
  return {
    name,
    kind,
    schema,
    initial,
    isNullable: types.includes("null") || (Array.isArray(schema.enum) && schema.enum.includes(null)),
    label: typeof schema.title === "string" && schema.title ? schema.title : name,
    description:
      [schema.description_md, schema.description, description].find(
        (one): one is string => typeof one === "string" && one !== "",
      ) ?? "",
    isMarkdown: typeof schema.description_md === "string" && schema.description_md !== "",
    section: typeof schema.section === "string" ? schema.section : "",
    isRequired: initial === null && !types.includes("null") && Object.keys(schema).length > 0,
    options: kind === "select" || kind === "choices" ? options : [],
    suggestions: kind === "text" ? options.map((one) => String(one.value)) : [],
  };
}

function listSuggested(schema: Schema): unknown[] {
  return [schema.examples, schema.suggested_values].find((one): one is unknown[] => Array.isArray(one)) ?? [];
}

function listTypes(schema: Schema, initial: unknown): string[] {
  if (Array.isArray(schema.type)) return schema.type.map(String);
  if (typeof schema.type === "string") return [schema.type];
  if (Object.keys(schema).some((key) => ["anyOf", "oneOf", "allOf", "$ref", "not", "if"].includes(key))) return ["any"];
  if (typeof initial === "string") return ["string"];
  if (typeof initial === "boolean") return ["boolean"];
  if (typeof initial === "number") return ["number"];
  return ["any"];
}

function chooseKind(types: string[], schema: Schema, initial: unknown): Kind {
  if ("const" in schema) return "fixed";
  if (Array.isArray(schema.enum)) return "select";
  const own = types.filter((type) => type !== "null");
  if (own.length !== 1)
    return own.length === 0
      ? "fixed"
      : own.every((type) => type === "integer" || type === "number")
        ? "number"
        : "json";
  if (own[0] === "string") {
    return (
      ({ date: "date", "date-time": "datetime", time: "time", multiline: "multiline" } as Record<string, Kind>)[
        String(schema.format)
      ] ?? (typeof initial === "string" && initial.includes("\n") ? "multiline" : "text")
    );
  }
  if (own[0] === "boolean" && types.length === 1) return "boolean";
  if (own[0] === "boolean") return "json";
  if (own[0] === "integer" || own[0] === "number") return own[0];
  if (own[0] === "array") {
    if (listSuggested(schema).length > 0) return "choices";
    const items = isObject(schema.items) ? schema.items : {};
    const isOfTexts =
      items.type === "string" ||
      (schema.items === undefined && Array.isArray(initial) && initial.every((one) => typeof one === "string"));
    return isOfTexts ? "lines" : "json";
  }
  return "json";
}

/** The text with which a field shows a value. `readText` gives the value back; a text that is no value of the field is shown as it is. */
export function writeText(field: ParamField, value: unknown): string {
  if (value === null || value === undefined) return "";
  switch (field.kind) {
    case "select":
    case "choices":
    case "fixed":
      return typeof value === "string" && field.kind === "choices" ? value : JSON.stringify(value);
    case "lines":
      return Array.isArray(value) && value.every((one) => typeof one === "string" && !one.includes("\n"))
        ? value.join("\n")
        : asText(value);
    case "json":
      return typeof value === "string" && isNoJson(value) ? value : JSON.stringify(value, null, 2);
    default:
      return asText(value);
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isNoJson(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** The value of what is typed into a field, checked as far as the page can; the server checks the rest. */
export function readText(field: ParamField, text: string): Reading {
  if (
    text === "" &&
    (field.isNullable || field.kind === "json" || field.initial === null) &&
    field.kind !== "boolean"
  ) {
    return field.isRequired ? { fault: { text: /* text */ "a value is needed" } } : { value: null };
  }
  const read = convert(field, text);
  return "fault" in read ? read : (check(field, read.value) ?? read);
}

function convert(field: ParamField, text: string): Reading {
  switch (field.kind) {
    case "number":
    case "integer": {
      const number = text.trim() === "" ? NaN : Number(text);
      if (!Number.isFinite(number)) return { fault: { text: /* text */ "{text} is no number", values: { text } } };
      if (field.kind === "integer" && !Number.isInteger(number))
        return { fault: { text: /* text */ "{text} is no whole number", values: { text } } };
      return { value: number };
    }
    case "boolean":
      return text === "true" || text === "false"
        ? { value: text === "true" }
        : { fault: { text: /* text */ "choose true or false" } };
    case "lines":
      return { value: text === "" ? [] : text.split("\n") };
    case "select":
    case "choices":
    case "fixed":
    case "json":
      try {
        return { value: JSON.parse(text) as unknown };
      } catch (fault) {
        return {
          fault: { text: /* text */ "this is no JSON: {problem}", values: { problem: (fault as Error).message } },
        };
      }
    default:
      return { value: text };
  }
}

const FORMATS: Partial<Record<Kind, [RegExp, string]>> = {
  date: [/^\d{4}-\d\d-\d\d$/, /* text */ "this is no date such as 2026-01-31"],
  datetime: [
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i,
    /* text */ "this is no time with an offset, such as 2026-01-31T12:00:00+01:00",
  ],
  time: [/^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i, /* text */ "this is no time of day such as 12:30:00"],
};

function check(field: ParamField, value: unknown): Reading | undefined {
  const { schema, kind } = field;
  const fault = (text: string, values?: Record<string, string | number>): Reading => ({ fault: { text, values } });
  if (typeof value === "number") {
    if (typeof schema.minimum === "number" && value < schema.minimum)
      return fault(/* text */ "the value is at least {limit}", { limit: schema.minimum });
    if (typeof schema.maximum === "number" && value > schema.maximum)
      return fault(/* text */ "the value is at most {limit}", { limit: schema.maximum });
    if (typeof schema.exclusiveMinimum === "number" && value <= schema.exclusiveMinimum)
      return fault(/* text */ "the value is more than {limit}", { limit: schema.exclusiveMinimum });
    if (typeof schema.exclusiveMaximum === "number" && value >= schema.exclusiveMaximum)
      return fault(/* text */ "the value is less than {limit}", { limit: schema.exclusiveMaximum });
  }
  if (typeof value === "string" && kind !== "select") {
    const length = [...value].length;
    if (typeof schema.minLength === "number" && length < schema.minLength)
      return fault(/* text */ "the text has at least {limit} characters", { limit: schema.minLength });
    if (typeof schema.maxLength === "number" && length > schema.maxLength)
      return fault(/* text */ "the text has at most {limit} characters", { limit: schema.maxLength });
    const format = FORMATS[kind];
    if (format && !format[0].test(value)) return fault(format[1]);
  }
  return undefined;
}

/** What the form shows first: the values of the params. */
export function startDraft(fields: ParamField[], conf?: Record<string, unknown>): Draft {
  const names = new Set(fields.map((field) => field.name));
  const has = (name: string) => conf !== undefined && Object.hasOwn(conf, name);
  return {
    texts: Object.fromEntries(
      fields.map((field) => [
        field.name,
        writeText(
          field,
          has(field.name)
            ? conf?.[field.name]
            : conf === undefined || field.kind === "fixed"
              ? fixedValue(field)
              : null,
        ),
      ]),
    ),
    others: Object.fromEntries(Object.entries(conf ?? {}).filter(([name]) => !names.has(name))),
  };
}

function fixedValue(field: ParamField): unknown {
  return field.kind === "fixed" && "const" in field.schema ? field.schema.const : field.initial;
}

/** The conf that is typed, and what is wrong with it by field. What is no value of its field is in the conf as the text that was typed, so that nothing is lost. */
export function readDraft(
  fields: ParamField[],
  draft: Draft,
): { conf: Record<string, unknown>; faults: Record<string, Fault> } {
  const conf: Record<string, unknown> = {};
  const faults: Record<string, Fault> = {};
  for (const field of fields) {
    const text = draft.texts[field.name] ?? "";
    const read = readText(field, text);
    if ("fault" in read) faults[field.name] = read.fault;
    conf[field.name] = "value" in read ? read.value : text === "" ? null : text;
    if ("fault" in read && convertible(field, text))
      conf[field.name] = (convert(field, text) as { value: unknown }).value;
  }
  return { conf: { ...conf, ...draft.others }, faults };
}

function convertible(field: ParamField, text: string): boolean {
  return text !== "" && "value" in convert(field, text);
}

/** The conf of a JSON text. Raises Error with a sentence for a text that is no object. */
export function parseConf(text: string): Record<string, unknown> {
  const conf: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (!isObject(conf)) throw new Error('it must be an object, for example {"day": 1}');
  return conf;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
