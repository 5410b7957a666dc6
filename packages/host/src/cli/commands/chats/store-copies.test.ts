import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { doctor } from "../../../chat/doctor/doctor.ts";
import { messageId } from "../../../chat/lines/chat-line.ts";
import { openChat } from "../../../chat/open-chat.ts";
import { openDaemon } from "../../../daemon/open-daemon.ts";
import { openGalley } from "../../../galley/open-galley.ts";
import { openStore } from "../../../store/open-store.ts";
import { folder, galley } from "../../testing/run-command.ts";

const fixture = new URL("../../../store/fixtures/store-2-words.sqlite.sql", import.meta.url);
let count = 0;

/** A data folder with a chat and a store that was migrated: beside it lies the copy. */
async function migrated(): Promise<{ data: string; copy: string; message: string; context: string }> {
  count += 1;
  const data = join(folder, `copies-${count}`);
  mkdirSync(data, { recursive: true });
  const file = join(data, "galley.sqlite");
  const old = new DatabaseSync(file);
  old.exec(readFileSync(fixture, "utf8"));
  old.close();
  const chat = await openChat(data, "demo");
  await chat.append([
    { role: "user", content: "the rosebud" },
    { role: "assistant", content: "noted" },
  ]);
  const context = (await chat.newContext()).archived?.contextId ?? "";
  const [said] = chat.transcript().messages;
  await chat.close();
  await (await openStore({ data })).close();
  expect(existsSync(`${file}.v2`)).toBe(true);
  return { data, copy: `${file}.v2`, message: said ? messageId(said) : "", context };
}

type Place = Awaited<ReturnType<typeof migrated>>;

const deletions: readonly (readonly [string, (place: Place) => string[]])[] = [
  ["a chat", () => ["delete", "--confirm", "demo"]],
  ["an archived context", ({ context }) => ["delete", "--context", context, "--confirm", context]],
  ["a message", ({ message }) => ["redact", "--message", message]],
];

test.each(deletions)(
  "[V1b] [M7] deleting %s removes the copy from before a migration, and every face says so",
  async (_, command) => {
    const lines = async (isThroughDaemon: boolean, ...more: string[]): Promise<readonly [string, string]> => {
      const place = await migrated();
      const daemon = isThroughDaemon
        ? await openDaemon({ galley: { data: place.data, config: false, environment: {} } })
        : undefined;
      if (daemon) onTestFinished(() => daemon.close());
      const run = await galley(["chat", ...command(place), "--chat", "demo", "--data", place.data, ...more]);
      expect([run.err, run.code, existsSync(place.copy)]).toEqual(["", 0, false]);
      return [run.out, place.copy];
    };
    for (const isThroughDaemon of [false, true]) {
      const [text, copy] = await lines(isThroughDaemon);
      expect(text).toMatch(/^(?:Deleted|Redacted) /);
      expect(text).toContain(`\nremoved ${copy}, the store as it was before its migration\n`);
      const [json, gone] = await lines(isThroughDaemon, "--json");
      expect(JSON.parse(json)).toMatchObject({ removedCopies: [gone] });
    }
  },
);

test("[V1b] [M7] the library gives the copies that a deletion removed; one that is refused removes none", async () => {
  const place = await migrated();
  const chat = await openChat(place.data, "demo");
  await expect(chat.deleteChat("other")).rejects.toMatchObject({ code: "BadUsage" });
  await expect(chat.deleteContext(place.context, "other")).rejects.toMatchObject({ code: "BadUsage" });
  await expect(chat.redact("m_typo")).rejects.toMatchObject({ code: "NotFound" });
  expect(existsSync(place.copy)).toBe(true);
  expect(await chat.redact(place.message)).toEqual({ removedCopies: [place.copy] });
  expect(await chat.deleteChat("demo")).toEqual({ removedCopies: [] });
});

test("[V1b] doctor names the copy; with --purge it removes it and says so, also for a single chat", async () => {
  const place = await migrated();
  const run = (...args: string[]): ReturnType<typeof galley> => galley(["doctor", "--data", place.data, ...args]);
  const named = `${place.copy} is the store as it was before its migration; --purge removes it\n`;
  const { code, out } = await run();
  expect([code, out.startsWith("demo: sound\nstore: "), out.endsWith(`\n${named}`)]).toEqual([0, true, true]);
  expect(JSON.parse((await run("--json")).out)).toMatchObject({ copies: [{ file: place.copy, removed: false }] });
  expect((await run("--chat", "demo")).out).toBe("demo: sound\n");
  const purged = `removed ${place.copy}, the store as it was before its migration\n`;
  expect((await run("--chat", "demo", "--purge")).out).toBe(`demo: sound, 0 messages purged\n${purged}`);
  expect(existsSync(place.copy)).toBe(false);
  writeFileSync(place.copy, "");
  expect(JSON.parse((await run("--purge", "--json")).out)).toMatchObject({
    copies: [{ file: place.copy, removed: true }],
  });
  writeFileSync(place.copy, "");
  await doctor(place.data, { purge: true });
  expect(existsSync(place.copy)).toBe(false);
});

test("[M7] what the command deletes or redacts leaves the records of builds and runs, without a daemon too", async () => {
  const data = join(folder, "records");
  const run = (...args: string[]): ReturnType<typeof galley> => galley([...args, "--chat", "demo", "--data", data]);
  const builds = async (): Promise<readonly unknown[]> => {
    const opened = await openGalley({ data, config: false });
    const session = { projectId: opened.project, sessionId: "chat:demo" };
    const found = await Promise.all([1, 2].map((n) => opened.store.builds.read(session, n)));
    const runs = await opened.store.runs.list(opened.project);
    await opened.close();
    return [...found.filter((one) => one !== undefined), ...runs];
  };
  expect((await run("run", "the rosebud secret")).code).toBe(0);
  expect((await run("run", "something else")).code).toBe(0);
  expect(JSON.stringify(await builds())).toContain("rosebud");
  const shown = JSON.parse((await run("chat", "show", "--json")).out) as { readonly messages: { id: string }[] };
  expect((await run("chat", "redact", "--message", shown.messages[0]?.id ?? "")).code).toBe(0);
  // The reply quotes it, and is another message.
  const left = JSON.stringify(await builds());
  expect(['"the rosebud secret"', '"something else"'].map((text) => left.includes(text))).toEqual([false, true]);
  expect((await run("chat", "delete", "--confirm", "demo")).code).toBe(0);
  expect(await builds()).toEqual([]);
});
