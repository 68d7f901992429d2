/** What one version of the definition of a baseline changed in the one before. */

import type { BaselineVersion } from "../../api/baselines";

export interface DefinitionChange {
  field: string;
  /** Undefined: there was none. */
  before: string | undefined;
  after: string | undefined;
}

type Definition = BaselineVersion["definition"];

/** In the order of the fields. Of a first version everything is new. */
export function listChanges(before: Definition | undefined, after: Definition): DefinitionChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((field) => ({ field, before: word(before?.[field]), after: word(after?.[field]) }))
    .filter((one) => one.before !== one.after);
}

function word(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(", ") : String(value);
}
