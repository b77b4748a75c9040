import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = "http://127.0.0.1:4180";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    manifest: true,
    target: "es2023",
    // An inlined asset would be a data: URL, which the page's content policy refuses for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": { target: server },
      "/socket.io": { target: server, ws: true },
    },
  },
  test: {
    name: "frontend",
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    testTimeout: 20_000,
  },
});
