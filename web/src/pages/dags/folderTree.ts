/** The folders of DAG files as a tree, without what all of them have in common. */

import type { FilterChoices } from "../../api/shapes";

export interface Folder {
  /** The whole path: the value of the filter. */
  path: string;
  name: string;
  /** How many DAGs are in it and in the folders in it. */
  dags: number;
  level: number;
}

/** The folders in the order of a tree. One with a single folder in it and no DAG of its own stands in the same line as that: `team/daily`. */
export function listFolders(choices: FilterChoices["folders"]): Folder[] {
  const own = new Map(choices.map((one) => [one.value, one.dags]));
  const children = new Map<string, Set<string>>();
  for (const path of own.keys()) {
    const parts = path.split("/");
    for (let end = 1; end <= parts.length; end += 1) {
      const parent = parts.slice(0, end - 1).join("/");
      const key = end === 1 ? ROOT : parent;
      children.set(key, (children.get(key) ?? new Set()).add(parts.slice(0, end).join("/")));
    }
  }
  const rows: Folder[] = [];
  const count = (path: string): number =>
    (own.get(path) ?? 0) + [...(children.get(path) ?? [])].reduce((sum, child) => sum + count(child), 0);
  const add = (start: string, parent: string, level: number) => {
    let path = start;
    for (let inside = children.get(path); !own.has(path) && inside?.size === 1; inside = children.get(path))
      path = [...inside][0] ?? path;
    const name = level === 0 ? shorten(path) : path.slice(parent.length + 1);
    rows.push({ path, name, dags: count(path), level });
    for (const child of [...(children.get(path) ?? [])].toSorted()) add(child, path, level + 1);
  };
  for (const root of [...(children.get(ROOT) ?? [])].toSorted()) {
    let paths = [root];
    // What has no DAG of its own says nothing: the tree begins below it.
    while (paths.length === 1 && !own.has(paths[0] ?? "") && children.has(paths[0] ?? ""))
      paths = [...(children.get(paths[0] ?? "") ?? [])];
    for (const path of paths.toSorted()) add(path, "", 0);
  }
  return rows;
}

const ROOT = "\u0000";

/** The last two parts of a path. */
function shorten(path: string): string {
  return path.split("/").slice(-2).join("/");
}
