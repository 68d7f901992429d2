/** The entries of the palette by kind, in the order in which the kinds come first. */

interface Kinded {
  kind: string;
}

export function sortByKind<T extends Kinded>(entries: readonly T[]): T[] {
  const kinds = [...new Set(entries.map((entry) => entry.kind))];
  return kinds.flatMap((kind) => entries.filter((entry) => entry.kind === kind));
}

/** Of entries that are sorted by kind, each with its place in the whole list. */
export function groupByKind<T extends Kinded>(entries: readonly T[]): [string, { entry: T; at: number }[]][] {
  const groups = new Map<string, { entry: T; at: number }[]>();
  entries.forEach((entry, at) => groups.set(entry.kind, [...(groups.get(entry.kind) ?? []), { entry, at }]));
  return [...groups];
}
