/** The params of a question as texts of a form, and back as values. */

import { t } from "../state/language";

type Params = Record<string, unknown>;
interface Param {
  value?: unknown;
  schema?: { type?: string | string[] };
}

/** The text of each param: a text as it is, another default as JSON, nothing without a default. */
export function writeDefaults(params: Params): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, param]) => {
      const value = (param as Param).value;
      return [
        name,
        value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value),
      ];
    }),
  );
}

/** The values of the texts: as they are where the schema wants a text, as JSON elsewhere. An empty field is not sent: the server takes the default. */
export function readParams(
  params: Params,
  texts: Record<string, string>,
): { values: Record<string, unknown>; problem: string } {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(texts)) {
    if (text === "") continue;
    const types = [((params[name] ?? {}) as Param).schema?.type ?? "string"].flat();
    try {
      values[name] = types.includes("string") && !(types.includes("null") && text === "null") ? text : JSON.parse(text);
    } catch {
      return { values, problem: t("The value of {name} is no JSON: {text}", { name, text }) };
    }
  }
  return { values, problem: "" };
}
