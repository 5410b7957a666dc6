import { view } from "@galley/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Chat } from "../../chat/chat.ts";
import type { Galley } from "../../galley/galley.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import type { GalleyTurn, TurnPlace } from "../services/turn-types.ts";

// Two Galleys on one data folder stand for two processes: neither has anything in memory that the other knows.

type Step =
  | { readonly type: "open" | "new" | "regenerate"; readonly by: number }
  | { readonly type: "load" | "edit"; readonly by: number; readonly pick: number }
  | { readonly type: "commit"; readonly pick: number; readonly isAppended: boolean }
  | { readonly type: "abort"; readonly pick: number };

const by = fc.nat(1);
const pick = fc.nat(6);
const ofPlace: fc.WeightedArbitrary<Step>[] = [
  { weight: 6, arbitrary: fc.record({ type: fc.constant("open"), by }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("commit"), pick, isAppended: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("abort"), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("regenerate"), by }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("edit"), by, pick }) },
];
const ofChat: fc.WeightedArbitrary<Step>[] = [
  ...ofPlace,
  { weight: 2, arbitrary: fc.record({ type: fc.constant("new"), by }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("load"), by, pick }) },
];

/** A question has a number; its reply repeats the question, no matter who gives it. */
interface Said {
  readonly role: string;
  readonly text: string;
}

interface OpenTurn {
  readonly turn: GalleyTurn;
  readonly question: string;
  /** What the place held when it was opened, and how often it had changed. */
  readonly seen: string;
  readonly changes: number;
}

interface Play {
  galley(index: number): Galley;
  /** The place has got a message or a switch. */
  changed(): void;
  take(step: Step): Promise<void>;
  /** Commits what is still open: whatever happened, a reply that was paid for finds its place. */
  finish(): Promise<void>;
  /** Questions that were committed, and have not been edited away since. */
  readonly kept: Set<string>;
  readonly committed: (readonly [question: string, reply: string])[];
  /** Questions, each with the first one of the context that its turn was opened in. */
  readonly placed: (readonly [question: string, beside: string])[];
  readonly aborted: string[];
}

/** Plays steps in a place, and holds what must be true of each against what is there. */
function playIn(galleys: readonly Galley[], place: TurnPlace, read: () => Promise<readonly Said[]>): Play {
  const open: OpenTurn[] = [];
  const kept = new Set<string>();
  const committed: Play["committed"] = [];
  const placed: Play["placed"] = [];
  const aborted: string[] = [];
  let numbers = 0;
  let changes = 0;
  const galley = (index: number): Galley => galleys[index] as Galley;
  const nextQuestion = (): string => `q${(numbers += 1)}q`;
  const seen = async (): Promise<string> => JSON.stringify(await read());
  const changed = (): void => void (changes += 1);

  async function openTurn(by: Galley): Promise<void> {
    if (open.length >= 3) return;
    const question = nextQuestion();
    const turn = await by.turn({ ...place, input: question });
    open.push({ turn, question, seen: await seen(), changes });
  }

  async function commit(which: number, isAppended: boolean): Promise<void> {
    const found = open[which % Math.max(1, open.length)];
    if (!found) return;
    const { turn, question } = found;
    const before = await seen();
    const outcome = { assistant: `re: ${question}` };
    const ending = turn.commit(isAppended ? { ...outcome, onConflict: "append" } : outcome);
    const error = await ending.then(
      () => undefined,
      (thrown: object) => thrown,
    );
    if (error) {
      expect(error).toMatchObject({ code: "SessionConflict", path: "onConflict" });
      expect([isAppended, found.changes === changes]).toEqual([false, false]);
      expect(await seen()).toBe(before);
      return;
    }
    if (!isAppended) expect(before).toBe(found.seen);
    open.splice(open.indexOf(found), 1);
    changed();
    kept.add(question);
    committed.push([question, outcome.assistant]);
    const [first] = JSON.parse(found.seen) as readonly Said[];
    if (first) placed.push([question, first.text]);
    const after = await seen();
    await turn.commit(outcome);
    expect(await seen()).toBe(after);
  }

  async function abort(which: number): Promise<void> {
    const [found] = open.splice(which % Math.max(1, open.length), 1);
    if (!found) return;
    const before = await seen();
    await found.turn.abort();
    aborted.push(found.question);
    expect(await seen()).toBe(before);
  }

  async function regenerate(by: Galley): Promise<void> {
    const last = (await read()).findLast(({ role }) => role === "user");
    if (!last) return;
    const { text } = await by.regenerate(place, { model: "demo" }).result;
    changed();
    committed.push([last.text, text]);
  }

  async function edit(by: Galley, which: number): Promise<void> {
    const questions = (await read()).filter(({ role }) => role === "user").map(({ text }) => text);
    const edited = questions[which % Math.max(1, questions.length)];
    if (edited === undefined) return;
    const question = nextQuestion();
    const { text } = await by.edit(place, await idOf(by, edited), question, { model: "demo" }).result;
    changed();
    for (const gone of questions.slice(questions.indexOf(edited))) kept.delete(gone);
    kept.add(question);
    committed.push([question, text]);
  }

  async function idOf(by: Galley, question: string): Promise<string> {
    const { chat, session = "" } = place;
    const entries = chat === undefined ? await by.sessions.entries(session) : (await by.chats.open(chat)).entries();
    return entries.findLast((entry) => entry.type === "message" && entry.message.content === question)?.id ?? "";
  }

  return {
    galley,
    changed,
    async take(step) {
      if (step.type === "open") await openTurn(galley(step.by));
      if (step.type === "commit") await commit(step.pick, step.isAppended);
      if (step.type === "abort") await abort(step.pick);
      if (step.type === "regenerate") await regenerate(galley(step.by));
      if (step.type === "edit") await edit(galley(step.by), step.pick);
    },
    async finish() {
      while (open.length > 0) await commit(0, true);
    },
    kept,
    committed,
    placed,
    aborted,
  };
}

/** Every question has its reply right behind it, and stands there once. */
function expectExchanges(said: readonly Said[]): void {
  const questions = said.filter((_, index) => index % 2 === 0);
  expect(questions.every(({ role }) => role === "user")).toBe(true);
  expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
  for (const [index, { role, text }] of said.entries()) {
    if (index % 2 === 0) continue;
    expect(role).toBe("assistant");
    expect(text).toContain(said[index - 1]?.text);
  }
}

const texts = (messages: readonly { readonly role: string; readonly content: unknown }[]): readonly Said[] =>
  messages.map(({ role, content }) => ({
    role,
    text: typeof content === "string" ? content : JSON.stringify(content),
  }));

async function contextsOf(chat: Chat): Promise<readonly (readonly Said[])[]> {
  const { contexts } = await chat.listContexts(200);
  const archived = contexts.map(({ contextId }) => texts(chat.readContext(contextId).messages));
  return [texts(chat.window({ maxMessages: 1000 }).messages), ...archived];
}

const rounds = { numRuns: Number(process.env["GALLEY_LAW_RUNS"] ?? 0) > 1000 ? 300 : 25 };

test("[T6] whatever two processes do in a chat, nothing is interleaved and nothing that was said is lost", async () => {
  let number = 0;
  const one = await galleyIn();
  const second = await galleyIn(one.data);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...ofChat), { minLength: 4, maxLength: 22 }), async (steps) => {
      const key = `chat-${(number += 1)}`;
      const chat = await one.chats.open(key);
      const play = playIn([one, second], { chat: key }, async () => texts(chat.window({ maxMessages: 1000 }).messages));
      for (const step of steps) {
        if (step.type === "new") {
          const { archived } = await (await play.galley(step.by).chats.open(key)).newContext({});
          if (archived) play.changed();
        } else if (step.type === "load") {
          const own = await play.galley(step.by).chats.open(key);
          const { contexts } = await own.listContexts(200);
          const chosen = contexts[step.pick % Math.max(1, contexts.length)];
          if (chosen) await own.loadContext({ contextId: chosen.contextId, mode: "full" });
          if (chosen) play.changed();
        } else await play.take(step);
        for (const said of await contextsOf(chat)) expectExchanges(said);
      }
      await play.finish();
      const contexts = await contextsOf(chat);
      for (const said of contexts) expectExchanges(said);
      for (const [question, beside] of play.placed) {
        if (!play.kept.has(question) || !play.kept.has(beside)) continue;
        const holding = contexts.filter((said) => said.some(({ text }) => text === question));
        expect(holding.every((said) => said.some(({ text }) => text === beside))).toBe(true);
      }
      const found = new Set(contexts.flat().map(({ text }) => text));
      expect([...play.kept].filter((question) => !found.has(question))).toEqual([]);
      const transcript = texts(chat.transcript({ maxMessages: 1000 }).messages);
      for (const [question, reply] of play.committed) {
        const at = transcript.findIndex(({ text }) => text === question);
        expect(transcript.slice(at + 1).some(({ text }) => text === reply)).toBe(true);
      }
      for (const question of play.aborted) expect(found.has(question)).toBe(false);
    }),
    rounds,
  );
});

test("[T6] the same in a session", async () => {
  let number = 0;
  const one = await galleyIn();
  const second = await galleyIn(one.data);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...ofPlace), { minLength: 4, maxLength: 22 }), async (steps) => {
      const session = `session-${(number += 1)}`;
      const read = async () => texts(view(await one.sessions.entries(session)).messages.map(({ message }) => message));
      const play = playIn([one, second], { session }, read);
      for (const step of steps) {
        await play.take(step);
        expectExchanges(await read());
      }
      await play.finish();
      const said = await read();
      expectExchanges(said);
      const found = new Set(said.map(({ text }) => text));
      expect([...play.kept].filter((question) => !found.has(question))).toEqual([]);
      const log = (await one.sessions.entries(session)).flatMap((entry) =>
        entry.type === "message" ? [entry.message.content] : [],
      );
      for (const [question, reply] of play.committed) expect(log).toEqual(expect.arrayContaining([question, reply]));
      for (const question of play.aborted) expect(log).not.toContain(question);
    }),
    rounds,
  );
});
