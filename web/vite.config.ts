import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** `npm run dev` passes requests of the API and of logins to an api-server on this machine. */
const server = "http://localhost:8080";

export default defineConfig({
  plugins: [react()],
  build: { assetsInlineLimit: 0, assetsDir: "page-assets", modulePreload: { polyfill: false } },
  server: { proxy: { "/api": server, "/auth": server, "/login": server, "/services": server } },
  test: { include: ["src/**/*.test.ts"] },
});
