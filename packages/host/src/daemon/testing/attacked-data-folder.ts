// Run as a process of its own, so that what hangs can be ended: puts one thing after the other in the place of each name of a
// data folder, uses the folder with all that Galley has, and says for each name what every use gave.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Problem } from "@galley/engine";
import { runningAgents } from "../../agents/running-agents.ts";
import { doctor } from "../../chat/doctor/doctor.ts";
import { messageId } from "../../chat/lines/chat-line.ts";
import { openChat } from "../../chat/open-chat.ts";
import { main } from "../../cli/main.ts";
import { openGalley } from "../../galley/open-galley.ts";
import { checkStore } from "../../store/check-store.ts";
import { ownDataFolder, readNote } from "../client/data-owner.ts";
import { daemonLog } from "../http/daemon-log.ts";

/** What is planted; `root` makes the data folder itself a link, which is allowed. */
export type Attack = "link" | "pipe" | "folder" | "device" | "root";

/** What one use of the folder gave. */
export interface Outcome {
  readonly use: string;
  /** The code of an error of ours, `raw` for any other error, `ok` where there was none. */
  readonly code: string;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly message?: string;
}

export interface Attacked {
  readonly name: string;
  readonly isFolder: boolean;
  readonly outcomes: readonly Outcome[];
  /** Whether all bytes, modes and times outside of the data folder are as before. */
  readonly isOutsideSame: boolean;
  /** Whether what was planted is still there. */
  readonly isStillThere: boolean;
}

const [template = "", place = "", attack = "root", names = "[]"] = process.argv.slice(2);

for (const [number, name] of (JSON.parse(names) as string[]).entries()) {
  const root = join(place, `${attack}-${number}`);
  const data = join(root, "data");
  const outside = join(root, "outside");
  mkdirSync(outside, { recursive: true });
  const real = attack === "root" ? join(root, "real") : data;
  cpSync(template, real, { recursive: true, preserveTimestamps: true });
  if (attack === "root") symlinkSync(real, data);
  const planted = join(data, name);
  const isFolder = existsSync(planted) && lstatSync(planted).isDirectory();
  // A folder where a folder belongs is not an attack.
  if (attack === "folder" && isFolder) continue;
  plant(planted, outside, attack as Attack);
  const before = treeOf(outside);
  const kind = kindOf(planted);
  process.stderr.write(`${name}\n`);
  const outcomes: Outcome[] = [];
  for (const [use, work] of uses(data)) outcomes.push(await outcomeOf(use, work));
  const isStillThere = kindOf(planted) === kind;
  const attacked: Attacked = { name, isFolder, outcomes, isOutsideSame: treeOf(outside) === before, isStillThere };
  process.stdout.write(`${JSON.stringify(attacked)}\n`);
  rmSync(root, { recursive: true, force: true });
}

function plant(path: string, outside: string, what: Attack): void {
  if (what === "root") return;
  mkdirSync(dirname(path), { recursive: true });
  const target = join(outside, basename(path));
  if (existsSync(path)) renameSync(path, target);
  else writeFileSync(target, "somebody else's");
  if (what === "link") symlinkSync(target, path);
  if (what === "device") symlinkSync("/dev/zero", path);
  if (what === "pipe") spawnSync("mkfifo", [path]);
  if (what === "folder") mkdirSync(path);
}

function kindOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return "nothing";
  return String(found.mode & 0o170000);
}

/** Everything below a folder, with modes, times and content. */
function treeOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true }).map(String).toSorted()) {
    const { mode, mtimeMs } = lstatSync(join(folder, name));
    const isFile = lstatSync(join(folder, name)).isFile();
    hash.update(JSON.stringify([name, mode, mtimeMs]));
    if (isFile) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

/** Whatever reads, appends, replaces or deletes in a data folder; the deletions last. */
function* uses(data: string): Generator<readonly [string, () => unknown]> {
  const inChat = (work: (chat: Awaited<ReturnType<typeof openChat>>) => unknown) => async () => {
    const chat = await openChat(data, "a");
    try {
      return await work(chat);
    } finally {
      await chat.close();
    }
  };
  yield ["note", () => readNote(data)];
  yield ["own", async () => (await ownDataFolder(data)).release()];
  yield [
    "log",
    async () => {
      const log = daemonLog(join(realpathSync(data), "daemon.log"), (value) => value);
      log.write("tried");
      await log.close();
    },
  ];
  yield ["agents", () => runningAgents(data)];
  yield ["galley", () => useGalley(data)];
  yield ["show", inChat((chat) => [chat.window(), chat.transcript(), chat.entries()])];
  yield [
    "append",
    inChat((chat) =>
      chat.append([
        { role: "user", content: "more" },
        { role: "assistant", content: "said" },
      ]),
    ),
  ];
  yield ["new", inChat((chat) => chat.newContext())];
  yield ["list", inChat((chat) => chat.listContexts())];
  yield ["search", inChat((chat) => chat.searchContexts("lamp"))];
  yield ["load", inChat((chat) => chat.loadContext({ query: "lamp" }))];
  yield [
    "redact",
    inChat(async (chat) => {
      const [last] = chat.transcript().messages.slice(-1);
      if (last) await chat.redact(messageId(last));
    }),
  ];
  yield ["store", () => checkStore({ data })];
  yield ["doctor", () => problemIn(checkByCommand(data))];
  yield ["fix", () => problemIn(doctor(data, { fix: true }))];
  yield ["purge", () => problemIn(doctor(data, { purge: true }))];
  for (const file of readdirOrNothing(join(data, "chat", "a", "contexts", "archive"))) {
    const id = file.replace(/\.json$/, "");
    yield ["read-context", inChat((chat) => chat.readContext(id))];
    yield ["delete-context", inChat((chat) => chat.deleteContext(id, id))];
  }
  yield ["delete", inChat((chat) => chat.deleteChat("a"))];
}

function readdirOrNothing(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, 1);
  } catch {
    return [];
  }
}

async function useGalley(data: string): Promise<void> {
  const galley = await openGalley({ data, config: false, environment: {} });
  try {
    await galley.chats.list();
    await galley.chats.settings("a");
    await galley.chats.configure("a", { model: "demo" });
    const { preset, version } = await galley.presets.get("p");
    await galley.presets.save("p", { preset, expectedVersion: version });
    await galley.canvases.get("mara");
    await galley.canvases.update("mara", { html: "<p>y</p>" });
    await galley.canvases.get("local");
    await galley.canvases.update("local", { html: "<p>y</p>" });
    await galley.run({ chat: "a", input: "And now?" }).result;
  } finally {
    await galley.close();
  }
}

type Checked = readonly { readonly left: readonly Problem[] }[];

/** `galley doctor --json`: it also looks at what lies beside the chats. */
async function checkByCommand(data: string): Promise<Checked> {
  let [out, err] = ["", ""];
  const terminal = { isTerminal: false, isColoured: false, columns: 100, readStdin: async () => "" };
  await main(["doctor", "--json", "--data", data], {
    ...terminal,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readLines: async function* () {},
    readPieces: async function* () {},
  });
  if (out === "") throw Object.assign(new Error(err), readError(err));
  const { chats, unsafe = [] } = JSON.parse(out) as { chats: Checked; unsafe?: readonly Problem[] };
  return [...chats, { left: unsafe }];
}

/** What the command printed of an error, in the fields of one. */
function readError(text: string): object {
  const [, code] = /\b([A-Z]\w+)\b/.exec(text) ?? [];
  const [, path] = /(\/\S+?)(?:[:,;.]?\s|$)/.exec(text) ?? [];
  return { name: text.includes("    at ") ? "Error" : "GalleyError", code, path, hint: text };
}

/** What the doctor found is an answer as well as what it throws. */
async function problemIn(checked: Promise<Checked>): Promise<void> {
  const left = (await checked).flatMap((chat) => chat.left);
  const unsafe = left.find(({ code }) => code === ("UnsafePath" as string));
  if (unsafe) throw Object.assign(new Error(unsafe.message), { name: "GalleyError", ...unsafe });
}

async function outcomeOf(use: string, work: () => unknown): Promise<Outcome> {
  try {
    await work();
    return { use, code: "ok" };
  } catch (error) {
    if (!(error instanceof Error)) return { use, code: "raw", message: String(error) };
    const { code, path, hint } = error as Error & { code?: string; path?: string; hint?: string };
    if (error.name !== "GalleyError") return { use, code: "raw", message: error.stack ?? error.message };
    return { use, code: String(code), path, hint, message: error.message };
  }
}
