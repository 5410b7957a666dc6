// Plain JavaScript, because the Node that runs it may be an older one.

// Others say which Node they resemble, and lack some of it.
const { deno, bun, node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);

export const isNode = deno === undefined && bun === undefined;
/** The SQLite of older ones loses text behind a NUL, or they have none. */
export const isNeededNode = isNode && ((major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26);

export const runtimeName = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node ${node}`;
export const neededNode = "galley needs Node 24.16 or newer";
export const neededHint = "Install a newer Node, or let npm bring one: npm install node@24";
