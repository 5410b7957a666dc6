import { type MessageEntry, type Preset, composePreset } from "@galley/engine";
import type { BenchReport } from "./claim.ts";
import { compare, inMs } from "./measure.ts";

const history: MessageEntry[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: `m${index}`,
  ts: index,
  type: "message",
  message: { role: index % 2 === 0 ? "user" : "assistant", content: `message ${index}` },
}));

const preset: Preset = {
  presetMessages: [
    { role: "system", content: "You are a guide." },
    { type: "placeholder", id: "world", role: "system" },
    { type: "chat_history", role: "user" },
    ...Array.from({ length: 200 }, (_, index) => ({
      role: "system" as const,
      content: `injection ${index}`,
      injectionStrategy:
        index % 4 === 0 ? { anchorTarget: "world", order: index } : { depth: index * 45, order: index % 7 },
    })),
  ],
};

/** The least that any composer has to do: one small object per message. */
function smallObjects(): unknown[] {
  const objects = [];
  for (const entry of history) objects.push({ id: entry.id, role: entry.message.role, position: objects.length });
  return objects;
}

export async function composeReport(): Promise<BenchReport> {
  const { peer, own, ratio } = await compare(smallObjects, () => composePreset({ preset, history }));
  return {
    notes: ["Peer: making one object of three fields for every message."],
    claims: [
      {
        claim: "compose 10,000 messages with 200 injections",
        against: "one small object per message",
        peer: inMs(peer),
        own: inMs(own),
        ratio,
        limit: 5,
      },
    ],
  };
}
