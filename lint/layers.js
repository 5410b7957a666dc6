// The house's floors, from docs/architecture.md. Each package is a list of floors, the lowest first; each floor names the
// floors below that it may import from, and its rooms (folders), each with the rooms of the same floor that it may import
// from. Files that lie directly in a floor stand above its rooms. Types count as values do. A folder that is not in the table
// is an error too, so that a new one has to be given its place.

/**
 * @typedef {{below: readonly string[], rooms?: Readonly<Record<string, readonly string[]>>}} Floor
 * @typedef {Readonly<Record<string, Floor>>} House
 */

const formats = ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk"];
/** @type {House} */
const engine = {
  model: { below: [], rooms: { check: [] } },
  tokens: {
    below: ["model"],
    rooms: { media: [], vocabularies: [], counters: ["media", "vocabularies"], catalogue: ["media", "counters"] },
  },
  compose: {
    below: ["model", "tokens"],
    rooms: { macros: [], activation: [], preset: ["macros", "activation"], place: ["preset"] },
  },
  fit: {
    below: ["model", "tokens", "compose"],
    rooms: { log: [], rungs: ["log"], window: ["log", "rungs"], recall: ["log", "rungs"], compactor: [] },
  },
  proof: { below: ["model", "tokens", "compose", "fit"], rooms: { i18n: [] } },
  wire: { below: ["model"], rooms: { shared: [], ...Object.fromEntries(formats.map((name) => [name, ["shared"]])) } },
  exchange: { below: ["model", "compose"], rooms: { files: [], sillytavern: ["files"], logs: ["files"] } },
  plugs: { below: ["model", "tokens", "compose", "fit", "proof", "wire"] },
};

const ground = ["disk", "limits", "secrets", "tools", "config"];
const data = [...ground, "api", "store", "logs", "models", "presets", "chat", "inject", "handover"];

/** @type {House} */
const host = {
  api: { below: [] },
  disk: { below: [], rooms: { runtime: [], foreign: ["runtime"] } },
  limits: { below: [] },
  secrets: { below: [] },
  // What a tool is, wherever it comes from and wherever it is served.
  tools: { below: [] },
  config: { below: ["api", "disk", "limits", "secrets", "tools"], rooms: { providers: [] } },
  search: { below: ["disk", "limits"] },
  store: {
    below: ["disk", "limits"],
    rooms: {
      ports: [],
      database: ["ports"],
      work: ["ports", "database"],
      queue: ["ports", "database", "work"],
      sessions: ["ports", "database"],
      cards: ["ports", "database"],
      builds: ["ports", "database"],
      runs: ["ports", "database", "work"],
      tasks: ["ports", "database", "cards", "work"],
    },
  },
  logs: { below: ["api", "disk", "limits", "search"] },
  models: { below: ground, rooms: { compactor: [] } },
  presets: { below: ["disk"] },
  chat: {
    below: ["api", "disk", "limits", "search", "tools"],
    rooms: { lines: [], contexts: ["lines"], doctor: ["lines", "contexts"] },
  },
  inject: { below: ground, rooms: { session: [], providers: ["session"], canvas: ["session"] } },
  handover: {
    below: ["api", "disk", "limits", "store", "tools"],
    rooms: {
      options: [],
      cards: ["options"],
      pack: ["options", "cards"],
      plan: ["options", "cards", "pack"],
      work: ["options", "cards", "plan"],
    },
  },
  turn: {
    below: data,
    rooms: {
      services: [],
      tools: ["services"],
      places: ["services", "tools"],
      call: ["services", "tools", "places"],
      run: ["services", "tools", "places", "call"],
    },
  },
  agents: { below: [...ground, "inject"] },
  galley: { below: [...data, "turn"] },
  daemon: {
    below: [...data, "turn", "agents", "galley"],
    rooms: {
      http: [],
      client: [],
      events: ["http"],
      tools: [],
      mcp: ["client", "tools"],
      rpc: ["http", "tools", "mcp"],
      agents: ["http", "events", "tools", "rpc"],
      handlers: ["http", "events", "agents"],
    },
  },
  cli: {
    below: [...data, "turn", "agents", "galley", "daemon"],
    rooms: {
      terminal: [],
      input: ["terminal"],
      print: ["terminal", "input"],
      settings: [],
      commands: ["terminal", "input", "print", "settings"],
    },
  },
};

// Each page of Studio is a floor of its own: it stands on all floors before the pages, and no page imports from another one.
const underPages = ["api", "document", "browser", "i18n", "kit", "message", "place", "frame"];
const page = { below: underPages };

/** @type {House} */
const studio = {
  api: { below: [] },
  browser: { below: [] },
  i18n: { below: ["browser"] },
  document: { below: ["api", "i18n"] },
  kit: { below: ["api", "i18n"] },
  message: { below: ["api", "i18n", "kit"] },
  place: { below: ["api", "i18n", "kit", "message"] },
  frame: { below: ["api", "browser", "i18n", "kit"] },
  "pages/home": page,
  "pages/compose": {
    below: underPages,
    rooms: {
      state: [],
      steps: ["state"],
      library: ["state", "steps"],
      recipes: ["state", "steps"],
      lorebook: ["state", "steps"],
      preview: ["state", "steps"],
      presets: ["state"],
      editor: ["state", "steps", "library", "recipes", "lorebook", "preview", "presets"],
    },
  },
  ...Object.fromEntries(
    ["inspect", "compare", "chats", "handover", "logs", "import", "settings"].map((name) => [`pages/${name}`, page]),
  ),
  // What is said to an agent is a chat.
  "pages/agents": { below: [...underPages, "pages/chats"] },
};

/** @type {Record<string, {floors: House, packages: readonly string[], types?: readonly string[]}>} */
export const houses = {
  engine: { floors: engine, packages: [] },
  host: { floors: host, packages: ["@galley/engine"] },
  // Of the host it knows the client of the wire, and what goes over the wire only as types: schemas are the daemon's business.
  studio: { floors: studio, packages: ["@galley/engine", "galley/api/client"], types: ["galley/api"] },
};

/** What opens files and databases by their paths, and follows links when it does. */
const diskModules = new Set(["node:fs", "node:fs/promises", "node:sqlite"]);

/**
 * The files of the host that may use these modules outside of `disk/`, with what they reach: nothing below a data folder,
 * where links must not be followed. Code that needs something there uses `disk/data-files.ts`.
 * @type {Readonly<Record<string, string>>}
 */
export const diskUsers = {
  "agents/agent-session.ts": "an agent's own temporary folder",
  "agents/process-group.ts": "/proc",
  "agents/system-text-delivery.ts": "agents' homes",
  "cli/commands/builds/diff-command.ts": "files that a person names",
  "cli/input/build-input.ts": "files that a person names",
  "cli/input/files.ts": "files that a person names",
  "cli/program.ts": "the package's own files",
  "cli/settings/settings-file.ts": "settings of other programs, which a person names",
  "config/agent-list.ts": "the folders in which agents work",
  "config/find-config.ts": "the configuration",
  "config/load-config.ts": "the configuration",
  "config/known-programs.ts": "programs in PATH",
  "daemon/client/daemon-key.ts": "the user's own state folder, whose path is checked",
  "daemon/http/browser-file.ts": "the user's own state folder, whose path is checked",
  "daemon/http/studio-files.ts": "Studio's files",
  "daemon/open-daemon.ts": "the package's own files",
  "inject/providers/read-skills.ts": "skills",
  "inject/providers/skills-context-provider.ts": "skills",
  "inject/session/templates.ts": "the package's own files",
};

/**
 * Says why `file` of the host may not use a module that opens files, or nothing when it may.
 * @param {string} file
 * @param {string} specifier
 * @param {Place} from
 */
function diskViolation(file, specifier, from) {
  const bare = specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  if (!diskModules.has(bare) || from.house !== "host" || from.isTesting || from.floor === "disk") return undefined;
  const path = /packages\/host\/src\/(.*)$/.exec(file.replaceAll("\\", "/"))?.[1] ?? "";
  if (Object.hasOwn(diskUsers, path)) return undefined;
  return `${path} may not import ${specifier}: disk/data-files.ts opens what lies in a data folder, and follows no links.`;
}

const ownPackages = ["@galley/engine", "galley", "@galley/studio"];

/**
 * @typedef {{house: string, floor?: string, room?: string, isTesting: boolean}} Place
 * @param {string} file
 * @returns {Place | undefined}
 */
function locate(file) {
  const match = /packages\/([^/]+)\/src\/((?:[^/]+\/)*)[^/]+$/.exec(file.replaceAll("\\", "/"));
  if (!match) return undefined;
  const folders = (match[2] ?? "").split("/").filter(Boolean);
  const isTesting =
    folders.includes("testing") || /\.(?:test|suite|test-support|test-setup)\.tsx?$|\/testing\.ts$/.test(file);
  const [first, ...rest] = folders.filter((folder) => folder !== "testing" && folder !== "fixtures");
  const isOfPage = match[1] === "studio" && first === "pages";
  const [floor, room] = isOfPage ? [`pages/${rest[0]}`, rest[1]] : [first, rest[0]];
  return { house: match[1] ?? "", ...(floor ? { floor } : {}), ...(room ? { room } : {}), isTesting };
}

/** @param {Place} place */
const nameOf = ({ floor, room }) => (room ? `${floor}/${room}` : (floor ?? "the package's index"));

/**
 * Says why `specifier` may not be imported from `file`, or nothing when it may.
 * @param {string} file
 * @param {string} specifier
 * @param {boolean} [isType] whether only types are imported
 * @returns {string | undefined}
 */
export function layerViolation(file, specifier, isType = false) {
  const from = locate(file);
  const house = from && houses[from.house];
  if (!from || !house) return undefined;
  const { floors, packages, types = [] } = house;
  if (isHomeless(floors, from)) return `The folder ${nameOf(from)} has no place in lint/layers.js.`;
  const own = ownPackages.find((name) => specifier === name || specifier.startsWith(`${name}/`));
  if (own && isType && types.includes(specifier)) return undefined;
  if (own)
    return [own, specifier].some((name) => packages.includes(name))
      ? undefined
      : `${from.house} may not import ${own}.`;
  if (!specifier.startsWith(".")) {
    if (from.house === "engine" && specifier.startsWith("node:") && !from.isTesting) return "The engine has no Node.";
    return isType ? undefined : diskViolation(file, specifier, from);
  }
  const target = locate(new URL(specifier, `file://${file.startsWith("/") ? "" : "/"}${file}`).pathname);
  if (!target) return from.isTesting ? undefined : `${specifier} leaves the package's src folder.`;
  if (target.house !== from.house) return `${from.house} may not reach into ${target.house}; import the package.`;
  if (target.isTesting && !from.isTesting) return `${specifier} is only for tests.`;
  // A test may look at its floor from above, as those do who use it; in the host, at all floors.
  if (from.isTesting && (from.house === "host" || from.floor === target.floor)) return undefined;
  return floorViolation(floors, from, target);
}

/**
 * @param {House} floors
 * @param {Place} place
 */
function isHomeless(floors, { floor, room }) {
  if (floor === undefined) return false;
  return !Object.hasOwn(floors, floor) || (room !== undefined && !Object.hasOwn(floors[floor]?.rooms ?? {}, room));
}

/**
 * @param {House} floors
 * @param {Place} from
 * @param {Place} target
 */
function floorViolation(floors, from, target) {
  const floor = from.floor === undefined ? undefined : floors[from.floor];
  if (!floor || nameOf(from) === nameOf(target)) return undefined;
  const violation = `${nameOf(from)} may not import from ${nameOf(target)}.`;
  if (target.floor === undefined) return violation;
  if (target.floor !== from.floor) return floor.below.includes(target.floor) ? undefined : violation;
  if (from.room === undefined) return undefined;
  return target.room !== undefined && floor.rooms?.[from.room]?.includes(target.room) ? undefined : violation;
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
