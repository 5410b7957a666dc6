import type { ModelMessage } from "../../../model/messages.ts";
import { chanceOf, type Chance } from "../../../model/testing/fuzz-chance.ts";
import { chineseLife, chineseProse, chineseWork } from "./chinese-talk.ts";
import { englishLife, englishProse, englishWork } from "./english-talk.ts";
import { phrase } from "./phrase.ts";
import { assistant, ran, user, type PlantedSession } from "./planted-session.ts";
import { printers } from "./tool-results.ts";

/** What an assistant says where there is nothing to do yet. */
const noted = {
  en: ["Got it.", "Okay.", "Will do.", "Sure.", "Understood."],
  zh: ["好的。", "明白。", "嗯，记下了。", "没问题。"],
};

const talk = {
  en: { work: englishWork, prose: englishProse, life: englishLife },
  zh: { work: chineseWork, prose: chineseProse, life: chineseLife },
} as const;

function proseTurn({ language, setting }: PlantedSession, chance: Chance): readonly ModelMessage[] {
  const say = (name: string): string => phrase(talk[language].prose, chance, name);
  const isPlay = setting === "play";
  const passages = Array.from({ length: isPlay ? 1 : 1 + chance.below(2) }, () => say("passage")).join("\n\n");
  const note = !isPlay && chance.oneIn(2) ? `${say("note")}\n\n` : "";
  return [user(say(isPlay && !chance.oneIn(8) ? "act" : "ask")), assistant(note + passages)];
}

function workTurn(
  { language, setting }: PlantedSession & { readonly setting: keyof typeof printers },
  chance: Chance,
  lines: number,
): readonly ModelMessage[] {
  const say = (name: string): string => phrase(talk[language][setting === "life" ? "life" : "work"], chance, name);
  if (chance.oneIn(7)) return [user(say("wonder")), assistant(say("explain"))];
  const calls = Array.from({ length: 1 + chance.below(3) }, (_, at) => {
    const { tool, input, value } = chance.pick(printers[setting])(chance, 4 + chance.below(lines));
    return ran(tool, input, value, chance.oneIn(3) ? undefined : say(at === 0 ? "begin" : "more"));
  });
  const asked = chance.oneIn(5) ? `${say("thanks")}\n${say("ask")}` : say("ask");
  return [user(asked), ...calls.flat(), assistant(say("report"))];
}

/** What goes on around the facts: asking, calling tools, answering. */
function* turns(session: PlantedSession, lines: number): Generator<readonly ModelMessage[], never> {
  const chance = chanceOf(session.name, 0, 1);
  const { setting } = session;
  for (;;) {
    yield setting === "prose" || setting === "play"
      ? proseTurn(session, chance)
      : workTurn({ ...session, setting }, chance, lines);
  }
}

/** The session until its last fact: some talk, then the facts in any order, with a turn or two between them. */
function beginning(
  { facts, name, language }: PlantedSession,
  around: Generator<readonly ModelMessage[], never>,
): readonly ModelMessage[] {
  const chance = chanceOf(name, 1, 1);
  const nextTurns = (count: number): readonly ModelMessage[] =>
    Array.from({ length: count }, () => around.next().value).flat();
  const answered = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
    messages.at(-1)?.role === "user" ? [...messages, assistant(chance.pick(noted[language]))] : messages;
  const ordered = facts
    .map((fact) => ({ fact, rank: chance.below(1000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ fact }) => fact);
  return [
    ...nextTurns(1),
    ...ordered.flatMap(({ messages }) => [...answered(messages), ...nextTurns(1 + chance.below(2))]),
  ];
}

/** A session without end: larger windows see larger results. */
export function* messagesOf(session: PlantedSession, maxLines: number): Generator<ModelMessage, never> {
  const around = turns(session, maxLines);
  yield* beginning(session, around);
  for (;;) yield* around.next().value;
}
