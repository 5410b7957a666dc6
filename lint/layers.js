// The house's floors, from docs/architecture.md: each folder names the folders that it may import from.
// A folder that is not in the table is an error too, so that a new one has to be given its place.

/** @type {Record<string, readonly string[]>} */
const engine = {
  model: [],
  tokens: ["model"],
  compose: ["model", "tokens"],
  fit: ["model", "tokens", "compose"],
  proof: ["model", "tokens", "compose", "fit"],
  wire: ["model"],
  exchange: ["model", "compose"],
};

/** @type {Record<string, readonly string[]>} */
const host = {
  api: [],
  store: [],
  chat: ["store"],
  inject: [],
  handover: ["store"],
  agent: ["api", "store", "chat", "inject", "handover"],
  daemon: ["api", "store", "chat", "inject", "handover", "agent"],
  cli: ["api", "store", "chat", "inject", "handover", "agent", "daemon"],
  // Only tests, of everything at once.
  faults: ["api", "store", "chat", "inject", "handover", "agent", "daemon", "cli"],
};

/** @type {Record<string, {folders: Record<string, readonly string[]>, packages: readonly string[], types?: readonly string[]}>} */
const houses = {
  engine: { folders: engine, packages: [] },
  host: { folders: host, packages: ["@galley/engine"] },
  // Of the host it knows what goes over the wire, and that only as types.
  studio: { folders: {}, packages: ["@galley/engine"], types: ["galley/api"] },
};

const ownPackages = ["@galley/engine", "galley", "@galley/studio"];

/** @param {string} file */
function locate(file) {
  const match = /packages\/([^/]+)\/src\/(?:([^/]+)\/)?[^/]/.exec(file.replaceAll("\\", "/"));
  return match ? { house: match[1], folder: match[2] } : undefined;
}

/**
 * Says why `specifier` may not be imported from `file`, or nothing when it may.
 * @param {string} file
 * @param {string} specifier
 * @param {boolean} [isType] whether only types are imported
 * @returns {string | undefined}
 */
export function layerViolation(file, specifier, isType = false) {
  const from = locate(file);
  const house = from && houses[from.house ?? ""];
  if (!from || !house) return undefined;
  const { folders, packages, types = [] } = house;
  const isTest = /\.test\.tsx?$/.test(file);
  if (from.folder && from.house !== "studio" && !Object.hasOwn(folders, from.folder)) {
    return `The folder ${from.folder} has no place in lint/layers.js.`;
  }
  const own = ownPackages.find((name) => specifier === name || specifier.startsWith(`${name}/`));
  if (own && isType && types.includes(specifier)) return undefined;
  if (own) return packages.includes(own) ? undefined : `${from.house} may not import ${own}.`;
  if (!specifier.startsWith(".")) {
    if (from.house === "engine" && specifier.startsWith("node:") && !isTest) return "The engine has no Node.";
    return undefined;
  }
  // How a test of any folder says that it tries a fault.
  if (isTest && specifier.endsWith("/faults/claim-fault.ts")) return undefined;
  const target = locate(new URL(specifier, `file://${file.startsWith("/") ? "" : "/"}${file}`).pathname);
  if (!target) return isTest ? undefined : `${specifier} leaves the package's src folder.`;
  if (target.house !== from.house) return `${from.house} may not reach into ${target.house}; import the package.`;
  if (!from.folder || from.house === "studio" || target.folder === from.folder) return undefined;
  if (target.folder && folders[from.folder]?.includes(target.folder)) return undefined;
  return `${from.folder} may not import from ${target.folder ?? "the package's index"}.`;
}

const layers = {
  /** @param {any} context */
  create(context) {
    /** @param {any} node */
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const violation = layerViolation(context.filename, specifier, node.importKind === "type");
      if (violation) context.report({ node, message: violation });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

// oxlint loads plugins by their default export.
export default { meta: { name: "galley" }, rules: { layers } };
