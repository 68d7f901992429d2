/// <reference types="vitest/config" />
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { subsetOfFont } from "./font.ts";

/** `npm run dev` passes requests of the API and of logins to an api-server on this machine. */
const server = "http://localhost:8080";
/** Modules that go into a common file if two views or more use them: `frame` is loaded with the page, `lists` with a list, `views` with another view than Home and a list. */
const SHARED = /\/node_modules\/|\/src\/(api|components|pages|state|ui)\//;

const MAIN = fileURLToPath(new URL("src/main.tsx", import.meta.url));
/** The views that are opened most often: what they need is a file of its own, without the graph, the log and the charts. */
const LISTS = ["dags/DagsPage", "runs/RunsPage", "tasks/TasksPage"].map((name) =>
  fileURLToPath(new URL(`src/pages/${name}.tsx`, import.meta.url)),
);
interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}
const closures = new Map<string, Set<string>>();

/** Whether the modules import this one; what a view imports when it is opened does not count. */
function isImported(id: string, by: readonly string[], graph: ModuleGraph): boolean {
  const key = by.join();
  let found = closures.get(key);
  if (!found) {
    for (const entry of by)
      if (!graph.getModuleInfo(entry)) throw new Error(`no module ${entry}: vite.config.ts names it`);
    found = new Set(by);
    for (const module of found)
      for (const imported of graph.getModuleInfo(module)?.importedIds ?? []) found.add(imported);
    closures.set(key, found);
  }
  return found.has(id);
}

function fileOf(id: string, graph: ModuleGraph): string {
  if (isImported(id, [MAIN], graph)) return "frame";
  return isImported(id, LISTS, graph) ? "lists" : "views";
}

export default defineConfig({
  plugins: [react(), subsetOfFont()],
  // `line` of `grid.module.css` is `grid-line` in the document: the file of a class can be seen there, and tests can name it.
  css: { modules: { generateScopedName: (name, file) => `${basename(file, ".module.css")}-${name}` } },
  build: {
    assetsInlineLimit: 0,
    assetsDir: "page-assets",
    modulePreload: { polyfill: false },
    // Few files: a browser asks for six at the same time from one server. What most views use is loaded with the frame, and a view is one file more.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: fileOf,
              debugName: "common",
              test: SHARED,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": server, "/auth": server, "/login": server, "/services": server } },
  // A test restores what it changes of the globals: one process for several files takes a third of the time.
  test: { include: ["src/**/*.test.{ts,tsx}"], isolate: false },
});
