/** Filters with values and their opposites, as they are in the address: `state` and `state_not` have lists, a flag is true or false. */

import type { Chip } from "./FilterChips";

export type Search = Record<string, unknown>;

export interface FilterField {
  field: string;
  label: string;
  /** The text of a value, where it is another one. */
  name?: (value: string) => string;
}

export function listChips(search: Search, values: readonly FilterField[], flags: readonly FilterField[]): Chip[] {
  const found: Chip[] = [];
  for (const one of values) {
    for (const isNot of [false, true]) {
      for (const value of list(search[isNot ? `${one.field}_not` : one.field]))
        found.push({ field: one.field, label: one.label, value, text: one.name?.(value), isNot });
    }
  }
  for (const one of flags) {
    if (search[one.field] !== undefined)
      found.push({ field: one.field, label: one.label, isNot: search[one.field] === false });
  }
  return found;
}

/** Texts to search for, which have no opposite. */
export function listTextChips(search: Search, fields: readonly FilterField[]): Chip[] {
  return fields.flatMap(({ field, label }) => {
    const value = search[field];
    return value === undefined || value === ""
      ? []
      : [{ field, label, value: String(value), isNot: false, isFixed: true }];
  });
}

/** Texts to search for, whose opposite has `!` before the text. */
export function listNegatableChips(search: Search, fields: readonly FilterField[]): Chip[] {
  return listTextChips(search, fields).map(({ isFixed: _isFixed, value = "", ...chip }) => {
    const isNot = value.startsWith("!");
    return { ...chip, value: isNot ? value.slice(1) : value, isNot, isText: true };
  });
}

/** The change of the address that adds a value, or sets a flag. */
export function addValue(search: Search, field: string, value: string): Search {
  return {
    [field]: [...list(search[field]).filter((one) => one !== value), value],
    [`${field}_not`]: drop(search[`${field}_not`], value),
  };
}

export function removeChip(search: Search, chip: Chip): Search {
  if (chip.value === undefined || chip.isFixed || chip.isText) return { [chip.field]: undefined };
  const name = chip.isNot ? `${chip.field}_not` : chip.field;
  return { [name]: drop(search[name], chip.value) };
}

export function turnChip(search: Search, chip: Chip): Search {
  if (chip.value === undefined) return { [chip.field]: chip.isNot };
  if (chip.isText) return { [chip.field]: chip.isNot ? chip.value : `!${chip.value}` };
  const [from, to] = chip.isNot ? [`${chip.field}_not`, chip.field] : [chip.field, `${chip.field}_not`];
  return { [from]: drop(search[from], chip.value), [to]: [...list(search[to]), chip.value] };
}

/** Values of an address: one value may stand without brackets. */
export function list(value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  return (Array.isArray(value) ? value : [value]).map(String).filter(Boolean);
}

/** The values for the address; undefined when there are none. */
export function some(value: unknown): string[] | undefined {
  const found = [...new Set(list(value))];
  return found.length ? found : undefined;
}

function drop(values: unknown, value: string): string[] | undefined {
  return some(list(values).filter((one) => one !== value));
}
