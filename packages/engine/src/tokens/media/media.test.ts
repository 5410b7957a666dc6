import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelMessage } from "../../model/messages.ts";
import { tokenAccount } from "../account.ts";
import { byteSource } from "./byte-source.ts";
import { countImage, countMedia, pdfPages } from "./count-media.ts";
import { imageSize } from "./image-size.ts";
import { mediaRuleFor } from "../catalogue/media-rules.ts";

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const png = (width: number, height: number): Uint8Array => {
  const bytes = bytesOf("\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\u0008\u0002\0\0\0");
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
};
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = (bytes: Uint8Array): string => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const text = (bits.match(/.{1,6}/g) ?? []).map((six) => alphabet[Number.parseInt(six.padEnd(6, "0"), 2)]).join("");
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
};

const gif = bytesOf("GIF89a\u0040\u0001\u00f0\u0000\0\0\0");
const jpeg = bytesOf(
  `\u00ff\u00d8\u00ff\u00e1\u0004\u0002${"x".repeat(0x400)}\u00ff\u00c2\u0000\u0011\u0008\u0001\u00e0\u0002\u0080\u0003xxxxxxxx`,
);
const webpLossy = bytesOf("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\u009d\u0001\u002a\u0080\u0002\u00e0\u0001");
const webpExtended = bytesOf("RIFF\0\0\0\0WEBPVP8X\u000a\0\0\0\0\0\0\0\u007f\u0002\0\u00df\u0001\0");
// 640 - 1 in the low 14 bits, 480 - 1 in the next 14.
const webpLossless = bytesOf("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\u002f\u007f\u00c2\u0077\u0000");

test.each([
  ["PNG", png(640, 480), { width: 640, height: 480 }],
  ["GIF", gif, { width: 320, height: 240 }],
  ["progressive JPEG behind a kilobyte of metadata", jpeg, { width: 640, height: 480 }],
  ["WebP, lossy", webpLossy, { width: 640, height: 480 }],
  ["WebP, extended", webpExtended, { width: 640, height: 480 }],
  ["WebP, lossless", webpLossless, { width: 640, height: 480 }],
])("[F4] a picture's size is read from its header: %s", (_, bytes, size) => {
  expect(imageSize(byteSource(bytes))).toEqual(size);
  expect(imageSize(byteSource(base64(bytes)))).toEqual(size);
  expect(imageSize(byteSource(`data:image/png;base64,${base64(bytes)}`))).toEqual(size);
  expect(imageSize(byteSource(base64(bytes).replaceAll(/(.{20})/g, "$1\n")))).toEqual(size);
});

test("[F4] base64 is read byte by byte as decoding it would give it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const source = byteSource(base64(bytes));
      expect(source.length).toBe(bytes.length);
      expect(Uint8Array.from(bytes, (_, index) => source.at(index))).toEqual(bytes);
    }),
  );
});

test("[F4] no bytes make reading a size fail or hang", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(png(1, 1), jpeg, gif, webpLossy), (bytes, head) => {
      const mixed = new Uint8Array([...head.subarray(0, 14), ...bytes]);
      const size = imageSize(byteSource(mixed));
      expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true);
    }),
  );
});

// Figures from the providers' documentation, where it works an example out.
test.each([
  ["gpt-4o", 1024, 1024, undefined, 765],
  ["gpt-4o", 2048, 4096, undefined, 1105],
  ["gpt-4o", 2048, 4096, "low", 85],
  ["gpt-4o-mini", 1024, 1024, undefined, 2833 + 4 * 5667],
  ["gpt-5", 1024, 1024, undefined, 70 + 4 * 140],
  ["o3", 1024, 1024, "high", 75 + 4 * 150],
  ["gpt-4.1-mini", 1024, 1024, undefined, Math.ceil(1024 * 1.62)],
  ["gpt-4.1-mini", 1800, 2400, undefined, Math.ceil(1452 * 1.62)],
  ["gpt-5.4", 1600, 1600, undefined, 3000],
  ["gpt-5.4", 1600, 3200, "original", 6000],
  ["claude-sonnet-4-5", 1000, 1000, undefined, 1296],
  ["claude-sonnet-4-5", 4000, 4000, undefined, 1568],
  ["anthropic/claude-opus-4.8", 4000, 4000, undefined, 4784],
  ["gemini-2.5-flash", 300, 384, undefined, 258],
  ["gemini-2.5-flash", 960, 540, undefined, 6 * 258],
  ["gemini-3-flash-preview", 4000, 4000, undefined, 1120],
  ["gemini-3-flash-preview", 4000, 4000, "low", 280],
])("[F4] %s counts a picture of %i × %i (%s) as its provider says", (model, width, height, detail, tokens) => {
  expect(countImage(mediaRuleFor(model), { width, height }, detail)).toEqual({ tokens, isByRule: true });
});

test("[F4] a picture of unknown size costs the most that a picture may, and is called an estimate", () => {
  for (const model of ["gpt-4o", "gpt-5.4", "gpt-4.1-nano", "claude-sonnet-4-5", "claude-opus-5", "a-model-of-ours"]) {
    const rule = mediaRuleFor(model);
    const unknown = countMedia({ mediaType: "image/png" }, rule);
    expect(unknown.isByRule).toBe(false);
    for (const edge of [100, 900, 3000, 8000]) {
      expect(countImage(rule, { width: edge, height: edge }).tokens).toBeLessThanOrEqual(unknown.tokens);
    }
  }
});

test("[F4] pages of a PDF are counted where the provider has a figure for a page", () => {
  const page = (index: number): string => `${index} 0 obj << /Type /Page /Parent 1 0 R >> endobj\n`;
  const text = `%PDF-1.4\n1 0 obj << /Type /Pages /Count 3 >> endobj\n${" ".repeat(70_000)}${page(2)}${page(3)}${page(4)}`;
  expect(pdfPages(byteSource(bytesOf(text)))).toBe(3);
  const pdf = { mediaType: "application/pdf", data: bytesOf(text) };
  expect(countMedia(pdf, mediaRuleFor("gemini-2.5-pro"))).toEqual({ tokens: 3 * 258, isByRule: true });
  expect(countMedia(pdf, mediaRuleFor("gemini-3.5-flash"))).toEqual({ tokens: 3 * 560, isByRule: true });
  expect(countMedia(pdf, mediaRuleFor("claude-sonnet-4-5"))).toMatchObject({ isByRule: false });
  expect(pdfPages(byteSource(bytesOf("%PDF-1.7 compressed")))).toBeUndefined();
});

test("[F4] the account says exact for a picture whose size and rule are known, estimated for one that lies elsewhere", () => {
  const tokenizer = { id: "letters", exactness: "exact", count: (text: string) => text.length } as const;
  const account = tokenAccount({ ...tokenizer, media: mediaRuleFor("gpt-4o") });
  const message = (image: string | Uint8Array): ModelMessage => ({ role: "user", content: [{ type: "image", image }] });
  const frame = account.countMessage({ role: "user", content: "" });
  const known = message(png(1024, 1024));
  expect(account.countMessage(known)).toBe(frame + 765);
  expect(account.countInput([known])).toMatchObject({ exactness: "exact" });
  expect(account.countInput([message("https://example.com/a.png")])).toMatchObject({ exactness: "estimated" });
  const shown: ModelMessage = {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "1",
        toolName: "shot",
        output: {
          type: "content",
          value: [{ type: "image-data", data: base64(png(1024, 1024)), mediaType: "image/png" }],
        },
      },
    ],
  };
  expect(account.countInput([shown]).exactness).toBe("exact");
  expect(account.countMessage(shown)).toBeGreaterThan(765);
});

test("[F4] a picture in a data URL is counted by its size, in a part and in a tool's result", () => {
  const tokenizer = { id: "letters", exactness: "exact", count: (text: string) => text.length } as const;
  const account = tokenAccount({ ...tokenizer, media: mediaRuleFor("gpt-4o") });
  const url = `data:image/png;base64,${base64(png(1024, 1024))}`;
  const output = { type: "content" as const, value: [{ type: "image-url" as const, url }] };
  const messages: ModelMessage[] = [
    { role: "user", content: [{ type: "file", data: url, mediaType: "image" }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "shot", output }] },
  ];
  for (const message of messages) {
    expect(account.countInput([message]).exactness).toBe("exact");
    expect(account.countMessage(message)).toBeLessThan(800);
  }
});
