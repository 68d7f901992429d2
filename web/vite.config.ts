/// <reference types="vitest/config" />
import { basename } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { subsetOfFont } from "./font.ts";

/** `npm run dev` passes requests of the API and of logins to an api-server on this machine. */
const server = "http://localhost:8080";
/** Modules that go into the file of the frame if two views or more use them. */
const SHARED = /\/node_modules\/|\/src\/(api|components|pages|state)\//;

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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "frame", test: SHARED, minShareCount: 2 }] } } },
  },
  server: { proxy: { "/api": server, "/auth": server, "/login": server, "/services": server } },
  // A test restores what it changes of the globals: one process for several files takes a third of the time.
  test: { include: ["src/**/*.test.{ts,tsx}"], isolate: false },
});
