/** What one version of the definition of a baseline changed in the one before. */

import type { BaselineVersion } from "../../api/baselines";

export interface DefinitionChange {
  field: string;
  /** Undefined: there was none. */
  before: string | undefined;
  after: string | undefined;
}

type Definition = BaselineVersion["definition"];

/** A value in words; undefined: it is not set. */
export type WordValue = (field: string, value: unknown) => string | undefined;

/** In the order of the fields. Of a first version everything is new. */
export function listChanges(before: Definition | undefined, after: Definition, word: WordValue): DefinitionChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((field) => ({ field, before: word(field, before?.[field]), after: word(field, after?.[field]) }))
    .filter((one) => one.before !== one.after);
}
