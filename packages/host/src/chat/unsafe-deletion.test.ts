import { lstatSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { galley } from "../cli/testing/run-command.ts";
import { doctor } from "./doctor/doctor.ts";
import { messageId } from "./lines/chat-line.ts";
import { chatWith, codeOf, dataFolder, transcriptFile } from "./testing/temp-chat.ts";

/** A chat whose transcript lies outside of its data folder, behind a link. */
async function linkedChat() {
  const chat = await chatWith(["the secret is sesame", "I see."]);
  const outside = `${dataFolder()}.jsonl`;
  await chat.closeIdleFiles();
  renameSync(transcriptFile(chat), outside);
  symlinkSync(outside, transcriptFile(chat));
  return { chat, data: join(chat.folder, "../.."), outside, before: readFileSync(outside, "utf8") };
}

test.skipIf(process.platform === "win32")(
  "[W13a] [M7] what lies behind a link is never called purged or deleted",
  async () => {
    const { chat, data, outside, before } = await linkedChat();
    const [first] = chat.window().messages;
    expect(await codeOf(() => chat.redact(first ? messageId(first) : ""))).toBe("no error");
    expect(await doctor(data, { purge: true })).toMatchObject([
      { purged: 0, left: [{ code: "UnsafePath", path: transcriptFile(chat) }] },
    ]);
    expect(await codeOf(() => chat.deleteChat("demo"))).toBe("UnsafePath");
    expect(readFileSync(outside, "utf8")).toBe(before);
    expect(lstatSync(transcriptFile(chat)).isSymbolicLink()).toBe(true);
  },
);

test.skipIf(process.platform === "win32")("[W13a] the command says so too, and fails", async () => {
  const { data, chat, outside, before } = await linkedChat();
  const purged = await galley(["doctor", "--purge", "--data", data]);
  expect(purged).toMatchObject({ code: 1, out: expect.stringMatching(/demo: 1 found, not purged[^]*UnsafePath/) });
  expect(await galley(["chat", "delete", "--chat", "demo", "--confirm", "demo", "--data", data])).toMatchObject({
    code: 1,
    err: expect.stringContaining("UnsafePath"),
  });
  // Beside the chats as well.
  symlinkSync(outside, join(data, "presets"));
  const checked = await galley(["doctor", "--data", data]);
  expect(checked.out).toContain(join(data, "presets"));
  expect(readFileSync(outside, "utf8")).toBe(before);
  expect(lstatSync(transcriptFile(chat)).isSymbolicLink()).toBe(true);
});

test("[W13b] a note that is far too large is refused, not read", async () => {
  const chat = await chatWith(["a", "b"]);
  writeFileSync(join(chat.folder, "chat.json"), `{"v":1,"key":"demo","x":"${"x".repeat(100_000)}"}`);
  const [health] = await doctor(join(chat.folder, "../.."));
  expect(health?.left).toMatchObject([{ code: "UnsafePath", path: join(chat.folder, "chat.json") }]);
});
