// A process that writes to everything in a data folder, round after round: node … DATA NAME ROUNDS
// Says on standard output, as a line of JSON each, what was acknowledged and what was refused.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { defaultPreset, presetLibrary } from "../src/presets/preset-library.ts";
import type { Chat } from "../src/chat/chat.ts";
import { openChat } from "../src/chat/open-chat.ts";
import { canvasStore } from "../src/inject/canvas/canvas-store.ts";
import { buildOf, said } from "../src/store/testing/build-samples.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { cardOf, itemsOf } from "../src/store/testing/store-samples.ts";
import type { Report } from "./data-verdict.ts";

const [data = "", name = "", rounds = "1000000"] = process.argv.slice(2);
const tell = (report: Report): void => void writeSync(1, `${JSON.stringify(report)}\n`);
process.stdout.on("error", () => process.exit(0));

/** Does it, and tells under which name it is to be found, or why it was refused. */
async function attempt(kind: Report["kind"], work: () => Promise<string | undefined>): Promise<void> {
  try {
    const found = await work();
    if (found !== undefined) tell({ kind, name: found });
  } catch (error) {
    const { code, message, path, hint } = error as Record<string, string | undefined>;
    const text = message?.split("\n")[0] ?? "";
    tell({ kind, refused: { name: (error as Error).name, code: code ?? "", message: text, path, hint } });
  }
}

/** What cannot be opened is told of like all the rest. */
async function opened(): Promise<{ readonly chat: Chat; readonly store: Store }> {
  try {
    const store = await openStore({ data });
    return { chat: await openChat(data, "faults", { patience: 60_000 }), store };
  } catch (error) {
    await attempt("open", () => Promise.reject(error));
    process.exit(0);
  }
}

const now = Date.now;
const presets = presetLibrary({ folder: join(data, "presets"), now, onChange: () => undefined });
const canvases = canvasStore({ folder: join(data, "canvases") });
const session = { projectId: "p", sessionId: name };
const common = Array.from({ length: 10 }, (_, index) => said(`common ${index}`));
const { chat, store } = await opened();
tell({ kind: "ready", name });

async function writeFiles(id: string, round: number): Promise<void> {
  await attempt("chat", async () => {
    await chat.append([{ role: "user", content: `${id} ${"x".repeat((round * 997) % 6000)}` }]);
    return id;
  });
  if (round % 4 === 3) await attempt("archive", async () => (await chat.newContext()).archived?.contextId);
  if (round % 4 === 1) await attempt("search", async () => (await chat.searchContexts(name), undefined));
  await attempt("preset", async () => {
    const before = (await presets.versions("kept").catch(() => []))[0]?.version ?? 0;
    const preset = { ...defaultPreset, name: `${id} ${"y".repeat((round * 331) % 3000)}` };
    await presets.save("kept", { preset, expectedVersion: before, label: id });
    return id;
  });
  await attempt("preset", async () => {
    const { version } = await presets.get("gone").catch(() => ({ version: 0 }));
    const preset = { ...defaultPreset, name: id };
    await (version > 0 ? presets.delete("gone") : presets.save("gone", { preset, expectedVersion: 0 }));
    return undefined;
  });
  await attempt("canvas", async () => {
    const { version } = await canvases.update("mara", { html: `<p>${id} ${"z".repeat(2000)}</p>`, title: id });
    return String(version);
  });
}

async function writeStore(id: string): Promise<void> {
  await attempt("box", async () => {
    const ids = [1, 2, 3].map((n) => `${id}.${n}`);
    const cards = ids.map((each) => cardOf(each, "c".repeat(1000)));
    await store.cards.pack({ projectId: "p", cards, boxes: [{ id, items: itemsOf(...ids) }], now: 1 });
    return id;
  });
  await attempt("entry", async () => {
    await store.sessions.append(session, [{ id, ts: 1, type: "custom" }]);
    return `${name} ${id}`;
  });
  await attempt("build", async () => {
    const { n } = await store.builds.record(session, buildOf([...common, said(id)], { key: id }));
    return `${name} ${n} ${id}`;
  });
  await attempt("run", async () => {
    const place = { place: { session: name }, session: name, model: "m", request: {}, inputTs: 1 };
    const { run } = await store.runs.start({ ...place, projectId: "p", id, worker: name, leaseMs: 1000, now: now() });
    const reply = { role: "assistant", content: id } as const;
    await store.runs.finish(run, { status: "finished", reply, result: id }, now());
    return id;
  });
}

for (let round = 0; round < Number(rounds); round += 1) {
  const id = `${name}-${round}`;
  await writeFiles(id, round);
  await writeStore(id);
}
await attempt("close", async () => {
  await chat.close();
  await presets.close();
  await store.close();
  return name;
});
