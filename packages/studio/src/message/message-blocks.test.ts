import { expect, test } from "vitest";
import { messageBlocks, messageText, pictureAddress } from "./message-blocks.ts";

test("a text is one piece, and an empty one is none", () => {
  expect(messageBlocks("<b>hello</b>")).toEqual([{ kind: "text", text: "<b>hello</b>" }]);
  expect(messageBlocks("")).toEqual([]);
});

test("calls, results, reasoning and pictures are told apart", () => {
  const content = [
    { type: "reasoning", text: "Look it up." },
    { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
    { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "error-text", value: "gone" } },
    { type: "image", image: "aGk=", mediaType: "image/png" },
    { type: "file", data: "aGk=", mediaType: "application/pdf", filename: "税表.pdf" },
  ];
  expect(messageBlocks(content)).toEqual([
    { kind: "reasoning", text: "Look it up." },
    { kind: "call", id: "c1", name: "read", text: '{\n  "path": "a.ts"\n}' },
    { kind: "result", id: "c1", name: "read", text: "gone", isError: true },
    { kind: "media", mediaType: "image/png", name: undefined, picture: "data:image/png;base64,aGk=" },
    { kind: "media", mediaType: "application/pdf", name: "税表.pdf" },
  ]);
});

test("a picture that a chat keeps as a file is known by the file's name", () => {
  const reference = { chatFile: "abc.png" };
  const inMessage = (mediaType: string) => [
    { type: "image", image: reference, mediaType },
    { type: "file", data: { type: "reference", reference }, mediaType },
  ];
  expect(messageBlocks(inMessage("image/png"))).toMatchObject([{ file: "abc.png" }, { file: "abc.png" }]);
  expect(messageBlocks(inMessage("image/svg+xml"))).toMatchObject([{ file: "abc.png" }, { picture: undefined }]);
});

test.each([
  ["image/svg+xml", "aGk="],
  ["text/html", "aGk="],
  ["image/png", "https://example.org/a.png"],
  ["image/png", "//example.org/a.png"],
  ["image/png", 'aGk=" onerror="x'],
  ["image/png", new Uint8Array(2)],
])("a picture that would be fetched, or could do more than be seen, is not drawn: %s %s", (mediaType, data) => {
  expect(pictureAddress(mediaType, data)).toBeUndefined();
});

test("a result of several pieces keeps its text and names its pictures", () => {
  const output = {
    type: "content",
    value: [
      { type: "text", text: "Seen:" },
      { type: "image-data", data: "aGk=", mediaType: "image/webp" },
      { type: "file-id", fileId: "f1" },
    ],
  };
  expect(messageBlocks([{ type: "tool-result", toolCallId: "c1", toolName: "look", output }])).toEqual([
    { kind: "result", id: "c1", name: "look", text: "Seen:", isError: false },
    { kind: "media", mediaType: "image/webp", name: undefined },
    { kind: "media", mediaType: "file-id", name: undefined },
  ]);
});

test("what is not known is shown as it is", () => {
  expect(messageBlocks([{ type: "hologram", beam: 3 }])).toEqual([
    { kind: "other", name: "hologram", text: '{\n  "type": "hologram",\n  "beam": 3\n}' },
  ]);
  expect(messageBlocks([7])).toEqual([{ kind: "other", name: "json", text: "7" }]);
  expect(messageBlocks(undefined)).toEqual([]);
});

test("the text for previews names calls and files", () => {
  const content = [
    { type: "text", text: "Here" },
    { type: "tool-call", toolCallId: "c1", toolName: "read", input: "a.ts" },
    { type: "file", data: "aGk=", mediaType: "application/pdf", filename: "a.pdf" },
  ];
  expect(messageText(content)).toBe("Here\nread(a.ts)\n[a.pdf]");
});
