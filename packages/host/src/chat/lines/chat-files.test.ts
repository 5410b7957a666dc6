import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  activeFile,
  archiveOf,
  assistant,
  chatWith,
  jsonLines,
  open,
  texts,
  transcriptFile,
} from "../testing/temp-chat.ts";

test("[P6] secrets reach neither transcript nor context", async () => {
  const chat = await chatWith(["my key is sk-12345", "noted"], { secrets: { KEY: "sk-12345" } });
  expect(texts(chat)[0]).toBe("my key is ‹secret:KEY›");
  expect(readFileSync(transcriptFile(chat), "utf8")).not.toContain("sk-12345");
  const { archived } = await chat.newContext({ title: "about sk-12345", reason: "sk-12345 is out" });
  expect(readFileSync(archiveOf(chat, archived!.contextId), "utf8")).not.toContain("sk-12345");
});

test("[W4b] pictures and files become references to files in the chat's folder", async () => {
  const chat = await open();
  const png = Buffer.from("iVBORw0KGgo=", "base64");
  await chat.append([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", image: `data:image/png;base64,${png.toString("base64")}` },
        { type: "image", image: "https://example.org/a.png" },
        { type: "file", mediaType: "application/pdf", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
        { type: "image", image: { chatFile: "../../../../etc/passwd" } },
      ],
    },
    assistant("nice"),
  ]);
  const [line] = jsonLines(activeFile(chat)) as { content: { image?: { chatFile: string } }[] }[];
  const name = line!.content[1]!.image!.chatFile;
  expect(name).toMatch(/^[0-9a-f]{64}\.png$/);
  expect(readFileSync(join(chat.folder, "files", name))).toEqual(png);
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  const [, entry] = chat.entries();
  expect(entry).toMatchObject({
    message: {
      content: [
        { type: "text" },
        { image: new Uint8Array(png), mediaType: "image/png" },
        { image: "https://example.org/a.png" },
        { data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
        { image: { chatFile: "../../../../etc/passwd" } },
      ],
    },
  });
});

test("[W4b] a file that is gone leaves a note in a build", async () => {
  const chat = await open();
  await chat.append([{ role: "user", content: [{ type: "image", image: new Uint8Array([1]) }] }]);
  rmSync(join(chat.folder, "files"), { recursive: true });
  expect(chat.entries()).toMatchObject([
    { message: { content: [{ type: "text", text: expect.stringContaining("not there") }] } },
  ]);
});
