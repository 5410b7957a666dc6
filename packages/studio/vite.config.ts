import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { routeTablePlugin } from "./route-table-plugin.ts";

// The daemon that `npm run studio:dev` talks to; `galley up` prints its address.
const daemon = process.env["GALLEY_URL"] ?? "http://127.0.0.1:4417";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), routeTablePlugin()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The pages run in browsers of the last two years; the policy of the daemon forbids inline data except for pictures.
    target: "es2024",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": { target: daemon, changeOrigin: true } } },
});
