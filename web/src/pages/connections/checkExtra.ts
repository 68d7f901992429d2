import { t } from "../../state/language";

/** Why a text cannot be the extra of a connection; empty if it can. */
export function checkExtra(text: string): string {
  if (text.trim() === "" || text === "***") return "";
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? ""
      : t("Extra must be a JSON object, such as {example}.", { example: '{"timeout": 10}' });
  } catch (error) {
    return t("Extra is no JSON: {message}", { message: error instanceof Error ? error.message : String(error) });
  }
}
