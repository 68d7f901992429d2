/** No two files of the page import each other, neither directly nor through others; types count. */

import ts from "typescript";
import { expect, test } from "vitest";

const sources = import.meta.glob<string>(["./**/*.{ts,tsx}", "!./api/schema.d.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The files that a file imports, as the glob names them. */
function listImports(file: string): string[] {
  const folder = new URL(file, "http://page/src/");
  return ts.preProcessFile(sources[file] as string).importedFiles.flatMap(({ fileName }) => {
    if (!fileName.startsWith(".")) return [];
    const path = `.${new URL(fileName, folder).pathname.slice("/src".length)}`;
    const found = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((one) => one in sources);
    return found === undefined ? [] : [found];
  });
}

/** The first circle of imports that is reached from a file, as the way around it. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of imports.get(file) ?? []) {
      const found = follow(next, [...way, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of imports.keys()) {
    const found = follow(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

test("the files of the page import each other in no circle", () => {
  expect(findCircle(new Map(Object.keys(sources).map((file) => [file, listImports(file)])))).toEqual([]);
});

test("a circle is found with the way around it", () => {
  const imports = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["d", "b"]],
    ["d", []],
  ]);
  expect(findCircle(imports)).toEqual(["b", "c", "b"]);
});
