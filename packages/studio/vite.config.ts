import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { type ProxyOptions, defineConfig } from "vite";
import { routeTablePlugin } from "./route-table-plugin.ts";

/** For `npm run studio:dev`: the running daemon of GALLEY_DATA (or of `.ship` in the checkout), asked as its own user does. */
function daemonProxy(): ProxyOptions {
  const data = process.env["GALLEY_DATA"] ?? join(import.meta.dirname, "../../.ship");
  const note = join(data, "daemon.json");
  // Without one the page says that the daemon does not answer, and `galley up` tells how to start it.
  if (!existsSync(note)) return { target: "http://127.0.0.1:4417", changeOrigin: true };
  const { url, token } = JSON.parse(readFileSync(note, "utf8")) as { readonly url: string; readonly token: string };
  return { target: url, changeOrigin: true, headers: { authorization: `Bearer ${token}` } };
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), routeTablePlugin()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2024",
    // The daemon's policy lets no script or style stand in the page, so that nothing small is put there either.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The vocabularies of the tokenizers are large, and load when they are needed.
    chunkSizeWarningLimit: 2500,
  },
  ...(command === "serve" && { server: { proxy: { "/api": daemonProxy(), "/canvas": daemonProxy() } } }),
}));
