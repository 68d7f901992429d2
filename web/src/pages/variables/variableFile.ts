/** The file of Variables: `{"key": value}`, or `{"key": {"value": ..., "description": ...}}`. */

import { t } from "../../state/language";

export interface ImportedVariable {
  key: string;
  value: string;
  description: string | null;
}

const HIDDEN = "***";

/** The Variables of the text of a file, or why it has none. */
export function readVariables(text: string): { variables: ImportedVariable[] | undefined; problem: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return {
      variables: undefined,
      problem: t("The file is no JSON: {message}", { message: error instanceof Error ? error.message : String(error) }),
    };
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed))
    return { variables: undefined, problem: t("The file must be a JSON object of key and value.") };
  return { variables: Object.entries(parsed).map(([key, value]) => readOne(key, value)), problem: "" };
}

function readOne(key: string, value: unknown): ImportedVariable {
  if (
    value !== null &&
    typeof value === "object" &&
    "value" in value &&
    Object.keys(value).every((name) => name === "value" || name === "description")
  ) {
    const described = value as { value: unknown; description?: unknown };
    return {
      key,
      value: writeValue(described.value),
      description: typeof described.description === "string" ? described.description : null,
    };
  }
  return { key, value: writeValue(value), description: null };
}

function writeValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The text of a file, and how many Variables are not in it because their values are masked. */
export function writeVariables(rows: readonly { key: string; value: string | null; description: string | null }[]): {
  text: string;
  left: number;
} {
  const shown = rows.filter((one) => one.value !== null && !one.value.includes(HIDDEN));
  const pairs = shown.map((one) => [
    one.key,
    one.description ? { value: one.value, description: one.description } : one.value,
  ]);
  return { text: `${JSON.stringify(Object.fromEntries(pairs), null, 2)}\n`, left: rows.length - shown.length };
}
