// Plain JavaScript, and with nothing of the project's own: `bin/galley.js` needs it before anything can be taken from the
// compile cache, and stripping the types of a single file costs more than starting Node does.
import { chmodSync, lstatSync, mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/**
 * Who asks, and where.
 * @typedef {object} Person
 * @property {string} platform
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {string} home
 * @property {number | undefined} uid undefined where the system has no such thing (Windows)
 * @property {number | undefined} [gid] the person's own group
 */

/** @typedef {{ readonly folder: string } | { readonly problem: string }} Opened a checked path, or why there is none */

/** @returns {Person} */
function thisPerson() {
  return {
    platform: process.platform,
    env: process.env,
    home: homedir(),
    uid: process.geteuid?.(),
    gid: process.getegid?.(),
  };
}

/**
 * What can be made again (`cache`), what should outlive a restart (`state`), what the person has set up (`config`).
 * @typedef {"cache" | "state" | "config"} UserFolderKind
 */

const places = {
  cache: { variable: "XDG_CACHE_HOME", windows: "Cache", mac: "Caches", others: [".cache"] },
  state: { variable: "XDG_STATE_HOME", windows: "State", mac: "Application Support", others: [".local", "state"] },
  config: { variable: "XDG_CONFIG_HOME", windows: "Config", mac: "Application Support", others: [".config"] },
};

/**
 * The folder in which a person's programs keep things of one kind.
 * A relative `XDG_…` is ignored, as the XDG specification asks.
 * @param {UserFolderKind} kind
 * @param {Person} person
 * @returns {{ readonly base: string, readonly names: readonly string[] }} the system's folder, and ours below it
 */
export function userFolder(kind, { platform, env, home }) {
  const { variable, windows, mac, others } = places[kind];
  const wanted = env[variable];
  if (wanted && isAbsolute(wanted)) return { base: wanted, names: ["galley"] };
  if (platform === "win32") {
    const base = env["LOCALAPPDATA"] || join(home, "AppData", "Local");
    return { base, names: ["galley", windows] };
  }
  if (platform === "darwin") return { base: join(home, "Library", mac), names: ["galley"] };
  return { base: join(home, ...others), names: ["galley"] };
}

/**
 * Makes the person's own folder `name`, for them alone (mode 0700), and gives its path without links. Where another user
 * of the machine could put files into it, or another folder in its place, it gives the reason instead; it never throws.
 * @param {UserFolderKind} kind
 * @param {string} name
 * @param {Person} person
 * @returns {Opened}
 */
export function openUserFolder(kind, name, person = thisPerson()) {
  const { base, names } = userFolder(kind, person);
  if (!isAbsolute(base)) return { problem: "The home folder is unknown." };
  try {
    // A home that does not exist belongs to an account that should not leave anything behind.
    if (base.startsWith(person.home + sep)) lstatSync(person.home);
    let opened = checkedPath(resolve(base), person.uid);
    for (const own of [...names, name]) {
      if ("folder" in opened) opened = checkedPath(join(opened.folder, own), person.uid);
      if ("folder" in opened) opened = closeToOthers(opened.folder, person.uid);
    }
    return opened;
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Why another user of the machine could have written what is at a path, or put it there; undefined when none could. A group
 * that bears the person's own number is theirs alone, as most systems make it, and may write.
 * @param {string} path
 * @param {Person} person
 * @returns {string | undefined}
 */
export function pathProblem(path, { uid, gid } = thisPerson()) {
  const found = lstatSync(path);
  const folder = found.isDirectory() ? path : dirname(path);
  const ownGroup = gid === uid ? gid : undefined;
  const opened = checkedPath(resolve(folder), uid, { ownGroup, isMade: false });
  if ("problem" in opened) return opened.problem;
  if (folder === path || uid === undefined) return undefined;
  if (found.uid !== uid && found.uid !== 0) return `${path} belongs to another user (${found.uid}).`;
  if (found.isSymbolicLink()) return pathProblem(realpathSync(path), { ...thisPerson(), uid, gid });
  return isOpen(found, ownGroup) ? `Other users can write ${path}.` : undefined;
}

/** More links than this are a circle; Linux has the same limit. */
const maxLinks = 40;

/**
 * Follows a path from the root, component by component, and makes the folders that are missing. Every folder and link on
 * the way must belong to the person or to root, and other users must be unable to rename what is in a folder: not writable
 * for them, or with the sticky bit, under which only an entry's owner can. (An entry in a sticky folder that was planted
 * there belongs to the user who planted it, and is refused for that.)
 * @param {string} path
 * @param {number | undefined} uid
 * @param {{ readonly ownGroup?: number | undefined, readonly isMade?: boolean }} [options] a group that may write; whether
 *   missing folders are made
 * @returns {Opened}
 */
function checkedPath(path, uid, { ownGroup, isMade = true } = {}) {
  let { folder, rest } = split(path);
  let links = 0;
  while (rest.length > 0) {
    const [name = "", ...others] = rest;
    const next = join(folder, name);
    const found = lstatSync(next, { throwIfNoEntry: !isMade }) ?? make(next);
    if (uid !== undefined && found.uid !== uid && found.uid !== 0) {
      return { problem: `${next} belongs to another user (${found.uid}).` };
    }
    rest = others;
    if (found.isSymbolicLink()) {
      links += 1;
      if (links > maxLinks) return { problem: `${path} has too many links.` };
      const target = split(resolve(folder, readlinkSync(next)));
      folder = target.folder;
      rest = [...target.rest, ...rest];
      continue;
    }
    if (!found.isDirectory()) return { problem: `${next} is not a folder.` };
    if (uid !== undefined && isOpen(found, ownGroup) && (found.mode & 0o1000) === 0) {
      return { problem: `Other users can write into ${next}.` };
    }
    folder = next;
  }
  return { folder };
}

/**
 * Whether users other than its owner may write it.
 * @param {import("node:fs").Stats} found
 * @param {number | undefined} ownGroup
 */
function isOpen({ mode, gid }, ownGroup) {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== ownGroup);
}

/**
 * The root, and the names from there on; the first is empty and means the root itself.
 * @param {string} path
 * @returns {{ folder: string, rest: readonly string[] }}
 */
function split(path) {
  const { root } = parse(path);
  return { folder: root, rest: ["", ...path.slice(root.length).split(sep).filter(Boolean)] };
}

/** @param {string} folder */
function make(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster: whose it is, is looked at like that of any other.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return lstatSync(folder);
}

/**
 * One of ours that others may read is closed; into one that they may write they may have written already.
 * @param {string} folder
 * @param {number | undefined} uid
 * @returns {Opened}
 */
function closeToOthers(folder, uid) {
  if (uid === undefined) return { folder };
  const found = lstatSync(folder);
  if (found.uid !== uid) return { problem: `${folder} belongs to another user (${found.uid}).` };
  if ((found.mode & 0o022) !== 0) return { problem: `Other users can write into ${folder}.` };
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return { folder };
}
