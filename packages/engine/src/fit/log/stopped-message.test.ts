import { expect, test } from "vitest";
import type { SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { nothingSaid } from "./stopped-message.ts";
import { view } from "./view.ts";

const entry = (id: string, message: ModelMessage): SessionEntry => ({ id, ts: 1, type: "message", message });
const stopped = (entryId: string): SessionEntry => ({ id: `s-${entryId}`, ts: 1, type: "stopped", entryId });
const read = (...entries: SessionEntry[]) => view(entries).messages.map(({ message }) => message.content);

test("[T17] a reply that a person stopped is sent with a note behind it", () => {
  const note = "[The person stopped the reply here.]";
  expect(read(entry("q", { role: "user", content: "?" }), entry("a", { role: "assistant", content: "It is" }))).toEqual(
    ["?", "It is"],
  );
  expect(read(entry("a", { role: "assistant", content: "It is" }), stopped("a"))).toEqual([`It is\n\n${note}`]);
  const parts: ModelMessage = { role: "assistant", content: [{ type: "text", text: "It is" }] };
  expect(read(entry("a", parts), stopped("a"))).toEqual([
    [
      { type: "text", text: "It is" },
      { type: "text", text: note },
    ],
  ]);
});

test("[T17] where nothing was said, the reply says so itself and gets no second note", () => {
  expect(read(entry("a", { role: "assistant", content: nothingSaid }), stopped("a"))).toEqual([nothingSaid]);
});
