/** The classes of a module are those that components use, and the names in the document, which begin with that of the file, are unambiguous. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const modules = Object.fromEntries(
  Object.keys(import.meta.glob("../**/*.module.css")).map((path) => [
    path,
    readFileSync(new URL(path, import.meta.url), "utf8"),
  ]),
);
const components = import.meta.glob<string>(["../**/*.tsx", "!../**/*.test.tsx"], {
  query: "?raw",
  import: "default",
  eager: true,
});

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
const nameOf = (path: string) => path.slice(folderOf(path).length);

/** The classes that a module defines. */
function listDefined(css: string): string[] {
  const selectors = css
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/:global\([^)]*\)/g, "")
    .replace(/\{[^{}]*\}/g, "{}");
  return [...new Set([...selectors.matchAll(/\.([a-zA-Z][\w-]*)/g)].map((found) => found[1] as string))].sort();
}

/** The classes that the components take from a module; undefined among them: one is chosen by a value. */
function listUsed(module: string): (string | undefined)[] {
  return Object.entries(components).flatMap(([path, source]) =>
    [...source.matchAll(/import (\w+) from "([^"]+\.module\.css)";/g)]
      .filter(([, , file]) => resolve(folderOf(path), file as string) === resolve(module))
      .flatMap(([, name]) => [...source.matchAll(new RegExp(`\\b${name}(?:\\.(\\w+)|\\[)`, "g"))])
      .map((found) => found[1]),
  );
}

test("each class that is used is in its module, and each of the module is used", () => {
  for (const [path, css] of Object.entries(modules)) {
    const [defined, used] = [listDefined(css), listUsed(path)];
    expect([...new Set(used.filter((one) => one !== undefined && !defined.includes(one)))], path).toEqual([]);
    if (!used.includes(undefined))
      expect(
        defined.filter((one) => !used.includes(one)),
        path,
      ).toEqual([]);
  }
});

test("each class of the sheets that are no modules is used", () => {
  const sheets = Object.keys(import.meta.glob("./*.css")).map((path) =>
    readFileSync(new URL(path, import.meta.url), "utf8"),
  );
  const texts = Object.values(components).join("") + readFileSync(new URL("../../index.html", import.meta.url), "utf8");
  const isUsed = (name: string) =>
    new RegExp(`["\\s\`]${name}["\\s\`$]`).test(texts) || texts.includes(`${name.split("-")[0]}-\${`);
  expect(sheets.flatMap(listDefined).filter((one) => !isUsed(one))).toEqual([]);
});

test("no two modules have the same name", () => {
  const names = Object.keys(modules).map(nameOf);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
