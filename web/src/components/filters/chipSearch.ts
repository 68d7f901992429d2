/** Filters with values and their opposites, as they are in the address: `state` and `state_not` have lists, a flag is true or false. */

import { listTexts, type Search, texts } from "../../state/searchValues";
import type { Chip } from "./FilterChips";

export interface FilterField<Name extends string = string> {
  field: Name;
  label: string;
  /** The text of a value, where it is another one. */
  name?: (value: string) => string;
}

type Field<View> = FilterField<keyof View & string>;

export function listChips<View extends Search>(
  search: View,
  values: readonly Field<View>[],
  flags: readonly Field<View>[],
): Chip[] {
  const found: Chip[] = [];
  for (const { field, label, name } of values) {
    for (const isNot of [false, true]) {
      for (const value of listTexts(search[isNot ? `${field}_not` : field]))
        found.push({ field, label, value, text: name?.(value), isNot });
    }
  }
  for (const { field, label } of flags) {
    if (search[field] !== undefined) found.push({ field, label, isNot: search[field] === false });
  }
  return found;
}

/** Texts to search for, which have no opposite. */
export function listTextChips<View extends Search>(search: View, fields: readonly Field<View>[]): Chip[] {
  return fields.flatMap(({ field, label }) => {
    const value = search[field];
    return value === undefined || value === ""
      ? []
      : [{ field, label, value: String(value), isNot: false, isFixed: true }];
  });
}

/** Texts to search for, whose opposite has `!` before the text. */
export function listNegatableChips<View extends Search>(search: View, fields: readonly Field<View>[]): Chip[] {
  return listTextChips(search, fields).map(({ isFixed: _isFixed, value = "", ...chip }) => {
    const isNot = value.startsWith("!");
    return { ...chip, value: isNot ? value.slice(1) : value, isNot, isText: true };
  });
}

/** The change of the address that adds a value, or sets a flag. */
export function addValue<View extends Search>(search: View, field: keyof View & string, value: string): Partial<View> {
  const opposite = `${field}_not`;
  return changeOf({
    [field]: [...listTexts(search[field]).filter((one) => one !== value), value],
    [opposite]: drop(search[opposite], value),
  });
}

/** The change that adds a value, or takes it away where it holds. */
export function toggleValue<View extends Search>(
  search: View,
  field: keyof View & string,
  value: string,
): Partial<View> {
  return listTexts(search[field]).includes(value)
    ? changeOf({ [field]: drop(search[field], value) })
    : addValue(search, field, value);
}

export function removeChip<View extends Search>(search: View, chip: Chip): Partial<View> {
  if (chip.value === undefined || chip.isFixed || chip.isText) return changeOf({ [chip.field]: undefined });
  const name = chip.isNot ? `${chip.field}_not` : chip.field;
  return changeOf({ [name]: drop(search[name], chip.value) });
}

export function turnChip<View extends Search>(search: View, chip: Chip): Partial<View> {
  if (chip.value === undefined) return changeOf({ [chip.field]: chip.isNot });
  if (chip.isText) return changeOf({ [chip.field]: chip.isNot ? chip.value : `!${chip.value}` });
  const opposite = `${chip.field}_not`;
  const [from, to] = chip.isNot ? [opposite, chip.field] : [chip.field, opposite];
  return changeOf({ [from]: drop(search[from], chip.value), [to]: [...listTexts(search[to]), chip.value] });
}

/** A filter has the name and the kind of value that its view has, but no type says which names have an opposite. */
function changeOf<View>(change: Search): Partial<View> {
  return change as Partial<View>;
}

function drop(values: unknown, value: string): string[] | undefined {
  return texts(listTexts(values).filter((one) => one !== value));
}
