/// <reference types="vitest/config" />
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { subsetOfFont } from "./font.ts";

/** `npm run dev` passes requests of the API and of logins to an api-server on this machine. */
const server = "http://localhost:8080";
/** Modules that go into a common file if two views or more use them: `frame` is loaded with the page, `views` with the first view that is not Home. */
const SHARED = /\/node_modules\/|\/src\/(api|components|pages|state|ui)\//;

const MAIN = fileURLToPath(new URL("src/main.tsx", import.meta.url));
interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}
let loadedFirst: Set<string> | undefined;

/** Whether the page needs the module before any view but Home: its first file imports it, not only a view that is loaded when it is opened. */
function isLoadedFirst(id: string, graph: ModuleGraph): boolean {
  if (!loadedFirst) {
    loadedFirst = new Set([MAIN]);
    for (const module of loadedFirst)
      for (const imported of graph.getModuleInfo(module)?.importedIds ?? []) loadedFirst.add(imported);
  }
  return loadedFirst.has(id);
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
              name: (id, graph) => (isLoadedFirst(id, graph) ? "frame" : "views"),
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
