/** Search parameters of the address: what a view shows. Each function returns undefined for a value that is none of its kind. */

export type Search = Record<string, unknown>;

export function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

export function count(value: unknown): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export function instant(value: unknown): string | undefined {
  const found = text(value);
  return found === undefined || Number.isNaN(Date.parse(found)) ? undefined : found;
}

/** The number of a page after the first. */
export function pageNumber(value: unknown): number | undefined {
  const number = count(value);
  return number !== undefined && number > 1 ? number : undefined;
}

/** `2026-03-29` */
export function day(value: unknown): string | undefined {
  const found = String(value);
  return /^\d{4}-\d\d-\d\d$/.test(found) && !Number.isNaN(Date.parse(found)) ? found : undefined;
}

/** The value if it is one of the values. */
export function one<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((each) => each === String(value));
}
