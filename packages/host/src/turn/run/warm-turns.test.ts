import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelMessage, view } from "@galley/engine";
import { afterAll, expect, test } from "vitest";
import { messageId } from "../../chat/lines/chat-line.ts";
import type { Galley } from "../../galley/galley.ts";
import { openGalley } from "../../galley/open-galley.ts";
import type { GalleyTurn } from "../services/turn-types.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-warm-"));
const opened: Galley[] = [];
afterAll(async () => {
  for (const galley of opened) await galley.close();
  rmSync(folder, { recursive: true, force: true });
});

let clock = Date.parse("2026-11-17T10:00:00Z");

async function galleyIn(data: string, environment = {}): Promise<Galley> {
  const galley = await openGalley({ data, config: false, environment, now: () => clock });
  opened.push(galley);
  return galley;
}

function chance(start: number): (most: number) => number {
  let seed = start;
  return (most) => {
    seed = (seed + 0x6d_2b_79_f5) >>> 0;
    const mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

/** What a turn gives. In a session the question has an id of its turn, and so has what was decided with it. */
function shown({ digest, ledger, stats, messages }: GalleyTurn): object {
  const rows = ledger.map((row) => {
    if (row.position === messages.length - 1) return { ...row, id: "question" };
    return row.kind === "earlier" ? { ...row, id: "compaction" } : row;
  });
  return { digest, ledger: rows, stats, messages };
}

/** What a Galley builds that has read nothing yet, over a copy. */
async function fromNothing(galley: Galley, place: { chat: string } | { session: string }, request: object) {
  const data = mkdtempSync(join(folder, "copy-"));
  const copy = await openGalley({ data, config: false, environment: {}, now: () => clock });
  try {
    if ("chat" in place) cpSync(join(galley.data, "chat"), join(data, "chat"), { recursive: true });
    else {
      const ref = { projectId: "default", sessionId: place.session };
      await copy.store.sessions.append(ref, await galley.store.sessions.read(ref));
    }
    return shown(await copy.turn({ ...place, ...request } as Parameters<Galley["turn"]>[0]));
  } finally {
    await copy.close();
    rmSync(data, { recursive: true, force: true });
  }
}

const words = ["parser", "retry", "invoice", "配置", "deadline", "cache", "because", "error", "decided"];
const text = (draw: (most: number) => number): string =>
  Array.from({ length: 12 + draw(60) }, () => words[draw(words.length)]).join(" ");

/** What may happen between two turns, by name. Gives false where nothing could happen. */
type Happenings = Readonly<Record<string, () => Promise<boolean>>>;

interface Law {
  readonly place: { readonly chat: string } | { readonly session: string };
  readonly data: string;
  readonly draw: (most: number) => number;
  readonly happenings: Happenings;
}

/** Plays rounds of a happening and a turn; gives what has happened, compactions included. */
async function holdsIn(own: Galley, { place, draw, happenings }: Law): Promise<ReadonlySet<string>> {
  const happened = new Set<string>();
  const names = Object.keys(happenings);
  for (let round = 0; round < 2 * names.length; round += 1) {
    clock += 1000;
    // Each comes once at least, and in an order of its own.
    const name = names[round < names.length ? round : draw(names.length)] ?? "";
    if (await happenings[name]?.()) happened.add(name);
    clock += 1000;
    const request = { input: text(draw), model: "gpt-5", budget: 900 + draw(2) * 600 };
    const expected = await fromNothing(own, place, request);
    const turn = await own.turn({ ...place, ...request });
    expect({ name, ...shown(turn) }).toEqual({ name, ...expected });
    if (turn.ledger.some(({ kind }) => kind === "earlier")) happened.add("compaction");
    clock += 1000;
    if (draw(4) === 0) await turn.abort();
    else await turn.commit({ assistant: text(draw) });
  }
  return happened;
}

const shuffled = (happenings: Happenings, draw: (most: number) => number): Happenings =>
  Object.fromEntries(
    Object.entries(happenings)
      .map((entry) => ({ entry, at: draw(1000) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ entry }) => entry),
  );

test.each([1, 2])(
  "[T11] a turn through the memory of a chat and one from nothing are the same, whatever happened between (%i)",
  async (seed) => {
    const draw = chance(seed);
    const data = mkdtempSync(join(folder, "chat-"));
    const own = await galleyIn(data);
    // Another one on the same folder stands for another process: it has a memory of its own.
    const other = await galleyIn(data);
    const chat = "c";
    const either = async () => (draw(2) ? own : other).chats.open(chat);
    const say = async (galley: Galley, count = 1): Promise<boolean> => {
      for (let index = 0; index < count; index += 1) {
        clock += 1000;
        const messages: ModelMessage[] = [
          { role: "user", content: text(draw) },
          { role: "assistant", content: text(draw) },
        ];
        await (await galley.chats.open(chat)).append(messages);
      }
      return true;
    };
    const ids = async (role: string): Promise<readonly string[]> =>
      (await own.chats.open(chat))
        .entries()
        .flatMap((entry) => (entry.type === "message" && entry.message.role === role ? [entry.id] : []))
        .filter((id) => id.startsWith("m_"));
    const active = join(data, "chat", "c", "contexts", "active.jsonl");
    const happenings: Happenings = {
      "an append": () => say(own),
      "an append of another process": () => say(other, 2),
      "a new context": async () => (await (await either()).newContext({})).archived !== undefined,
      "a context that is loaded": async () => {
        const { contexts } = await (await other.chats.open(chat)).listContexts(5);
        const found = contexts[draw(Math.max(1, contexts.length))];
        if (found) await (await either()).loadContext({ contextId: found.contextId, mode: "full" });
        return found !== undefined;
      },
      "a redaction": async () => {
        const id = (await ids(draw(2) ? "user" : "assistant")).at(-1 - draw(2));
        if (id !== undefined) await (await either()).redact(id);
        return id !== undefined;
      },
      "an edit": async () => {
        const id = (await ids("user")).at(-1 - draw(2));
        if (id !== undefined) await (draw(2) ? own : other).edit(chat, id, text(draw), { model: "demo" }).result;
        return id !== undefined;
      },
      "a regeneration": async () => {
        if ((await ids("user")).length === 0) return false;
        await (draw(2) ? own : other).regenerate(chat, { model: "demo" }).result;
        return true;
      },
      "an alternate that is chosen": async () => {
        await say(own);
        await (draw(2) ? own : other).regenerate(chat, { model: "demo" }).result;
        const { kept } = (await own.chats.open(chat)).window();
        const line = kept.map((one) => one.line).findLast(({ type }) => type === "alternate");
        if (line?.type === "alternate") await (await either()).chooseAlternate(messageId(line.message));
        return line !== undefined;
      },
      // Mended by hand, in place, with as many bytes as before, anywhere in the file.
      "a mend by hand": async () => {
        const before = readFileSync(active, "utf8");
        const after = before.replace("parser", "pamper");
        writeFileSync(active, after);
        return before !== after;
      },
      "a mend by hand, and an append": async () => {
        const before = readFileSync(active, "utf8");
        const after = before.replace("retry", "rhyme");
        writeFileSync(active, after);
        return before !== after && say(draw(2) ? own : other);
      },
    };
    await say(own, 6);
    const law = { place: { chat }, data, draw, happenings: shuffled(happenings, draw) };
    const happened = await holdsIn(own, law);
    expect([...happened].toSorted()).toEqual([...Object.keys(happenings), "compaction"].toSorted());
  },
);

test.each([1])("[T11] the same in a session, with another process and branches (%i)", async (seed) => {
  const draw = chance(seed);
  const data = mkdtempSync(join(folder, "session-"));
  const own = await galleyIn(data);
  const other = await galleyIn(data);
  const place = { session: "s" };
  const ref = { projectId: "default", sessionId: "s" };
  const either = (): Galley => (draw(2) ? own : other);
  const said = async (role: string): Promise<readonly string[]> =>
    view(await own.sessions.entries("s")).messages.flatMap(({ id, message }) => (message.role === role ? [id] : []));
  const say = async (galley: Galley): Promise<boolean> => {
    clock += 1000;
    const turn = await galley.turn({ ...place, input: text(draw), model: "gpt-5", budget: 900 });
    await turn.commit({ assistant: text(draw) });
    return true;
  };
  const happenings: Happenings = {
    "an exchange": () => say(own),
    "an exchange of another process": () => say(other),
    "a regeneration": async () => {
      await either().regenerate(place, { model: "demo" }).result;
      return true;
    },
    "an edit": async () => {
      const id = (await said("user")).at(-1 - draw(2)) ?? "";
      await either().edit(place, id, text(draw), { model: "demo" }).result;
      return true;
    },
    "another branch": async () => {
      const id = (await said("assistant")).at(-1 - draw(2)) ?? null;
      const entry = { id: `branch-${clock}`, ts: clock, type: "custom", kind: "branch", parentId: id } as const;
      await either().store.sessions.append(ref, [entry]);
      return id !== null;
    },
    "a redaction": async () => {
      const id = (await said(draw(2) ? "user" : "assistant")).at(-1 - draw(2)) ?? "";
      await either().store.sessions.append(ref, [{ id: `redact-${clock}`, ts: clock, type: "redact", entryId: id }]);
      return id !== "";
    },
  };
  for (let count = 0; count < 4; count += 1) await say(own);
  const happened = await holdsIn(own, { place, data, draw, happenings: shuffled(happenings, draw) });
  expect([...happened].toSorted()).toEqual([...Object.keys(happenings), "compaction"].toSorted());
});

test("[T11] what somebody mends by hand far from the end is seen, also when a turn was committed before it", async () => {
  const data = mkdtempSync(join(folder, "mended-"));
  const own = await galleyIn(data);
  const other = await galleyIn(data);
  const file = join(data, "chat", "c", "contexts", "active.jsonl");
  const chat = await own.chats.open("c");
  await chat.append([
    { role: "user", content: "Where is the harbour?" },
    { role: "assistant", content: `In the east. ${"So it is said. ".repeat(2000)}` },
  ]);
  const say = async (galley: Galley): Promise<unknown> => {
    clock += 1000;
    const turn = await galley.turn({ chat: "c", model: "gpt-5", input: "And now?" });
    await turn.commit({ assistant: "As before." });
    return turn.messages.find(({ role }) => role === "user")?.content;
  };
  expect(await say(own)).toBe("Where is the harbour?");
  writeFileSync(file, readFileSync(file, "utf8").replace("harbour", "market "));
  expect(await say(own)).toBe("Where is the market ?");
  writeFileSync(file, readFileSync(file, "utf8").replace("market ", "station"));
  await say(other);
  expect(await say(own)).toBe("Where is the station?");
});

test("[T11] the next turn reads what is new: all else are the very objects of the turn before, also after another process wrote", async () => {
  const data = mkdtempSync(join(folder, "hits-"));
  const own = await galleyIn(data);
  const other = await galleyIn(data);
  for (const place of [{ chat: "c" }, { session: "s" }]) {
    const turnOf = async (galley: Galley, input: string): Promise<GalleyTurn> => {
      clock += 1000;
      const turn = await galley.turn({ ...place, input, model: "gpt-5" });
      clock += 1000;
      await turn.commit({ assistant: `re: ${input}` });
      return turn;
    };
    const first = await turnOf(own, "one");
    const second = await turnOf(own, "two");
    await turnOf(other, "three");
    const last = await turnOf(own, "four");
    expect(second.messages).toHaveLength(first.messages.length + 2);
    expect(last.messages).toHaveLength(second.messages.length + 4);
    for (const [index, message] of first.messages.entries()) expect(second.messages[index]).toBe(message);
    for (const [index, message] of second.messages.entries()) expect(last.messages[index]).toBe(message);
  }
});
