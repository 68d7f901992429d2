/** The schema of a route's search parameters: what a view shows, as its address has it. */

export type Search = Record<string, unknown>;

/** A reader for each parameter: it returns undefined for a value that is none of its kind. */
export type Readers<View> = { [Name in keyof View]-?: (value: unknown) => View[Name] | undefined };

/** The `validateSearch` of a route: the parameters which the readers accept, and no others. */
export function readerOf<View extends object>(readers: Readers<View>): (search: Search) => View {
  const all = Object.entries(readers) as [string, (value: unknown) => unknown][];
  return (search) => dropUnset(Object.fromEntries(all.map(([name, read]) => [name, read(search[name])]))) as View;
}

/** What is set. */
export function dropUnset<View extends object>(view: View): View {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined)) as View;
}

export function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

export function count(value: unknown): number | undefined {
  const number = amount(value);
  return Number.isInteger(number) ? number : undefined;
}

/** A number from 0 on. */
export function amount(value: unknown): number | undefined {
  const found = text(value);
  const number = Number(found);
  return found !== undefined && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** The number of a page after the first. */
export function pageNumber(value: unknown): number | undefined {
  const number = count(value);
  return number !== undefined && number > 1 ? number : undefined;
}

export function instant(value: unknown): string | undefined {
  const found = text(value);
  return found === undefined || Number.isNaN(Date.parse(found)) ? undefined : found;
}

/** An instant as the server writes it, with which it can be compared. */
export function utcInstant(value: unknown): string | undefined {
  const found = instant(value);
  return found === undefined ? undefined : new Date(found).toISOString();
}

/** `2026-03-29` */
export function day(value: unknown): string | undefined {
  const found = String(value);
  return /^\d{4}-\d\d-\d\d$/.test(found) && !Number.isNaN(Date.parse(found)) ? found : undefined;
}

export function flag(value: unknown): boolean | undefined {
  return String(value) === "true" ? true : String(value) === "false" ? false : undefined;
}

/** One of the values. */
export function oneOf<T extends string>(values: readonly T[]): (value: unknown) => T | undefined {
  return (value) => values.find((each) => each === String(value));
}

/** Texts; undefined when there are none. One may stand without brackets. */
export function texts(value: unknown): string[] | undefined {
  const found = [...new Set(listTexts(value))];
  return found.length > 0 ? found : undefined;
}

/** Those of the values that are given. */
export function someOf(values: readonly string[]): (value: unknown) => string[] | undefined {
  return (value) => texts(listTexts(value).filter((one) => values.includes(one)));
}

export function listTexts(value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  return (Array.isArray(value) ? value : [value]).map(String).filter(Boolean);
}
