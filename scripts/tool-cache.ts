import { fileURLToPath } from "node:url";

/**
 * Where tests and benches keep programs that they unpack or install. Below `node_modules`, because those who can write
 * there could run code as us anyway; in the system's folder for temporary files every user of the machine could plant something.
 */
export function toolCache(name: string): string {
  return fileURLToPath(new URL(`../node_modules/.cache/galley-${name}`, import.meta.url));
}
