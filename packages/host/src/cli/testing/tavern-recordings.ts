import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import {
  type Build,
  type ModelMessage,
  type ReplyKind,
  type SessionEntry,
  type TokenAccount,
  build,
  parsePreset,
  toOpenAiChat,
} from "@galley/engine";
import {
  type TavernFile,
  type TavernImport,
  importReport,
  importTavern,
  readTavernFile,
} from "@galley/engine/sillytavern";

// SillyTavern's own files and what it sent for them are not ours to publish: they are read where the corpus is.
export const corpus: string | undefined = process.env["GALLEY_CORPUS"];

/** One generation of a case that has several. */
export interface Turn {
  readonly user?: string;
  readonly reply?: string;
  readonly type?: string;
  readonly quiet?: string;
  readonly deleteLastAfter?: number;
}

export interface Sent {
  readonly activated: readonly { readonly world: string; readonly uid: number }[];
  readonly messages: readonly { readonly role: string; readonly content: string; readonly name?: string }[];
}

/** A case and what SillyTavern sent for it. */
export interface Recorded extends Sent {
  readonly case: {
    readonly id: string;
    readonly card: string;
    readonly card2?: string;
    readonly chat?: string;
    readonly preset?: string;
    readonly worlds?: readonly { readonly name: string; readonly file: string; readonly notGlobal?: boolean }[];
    readonly charWorld?: string;
    readonly charExtraWorlds?: readonly string[];
    readonly chatWorld?: string;
    readonly importBook?: boolean;
    readonly allConstant?: boolean;
    readonly charTags?: readonly string[];
    readonly note?: object;
    readonly power?: { readonly persona_description_lorebook?: string };
    readonly allowWIScan?: boolean;
    readonly append?: readonly string[];
    readonly type?: string;
    readonly quiet?: string;
    readonly turns?: readonly Turn[];
  };
  readonly name1: string;
  readonly avatar?: string;
  readonly turns?: readonly Sent[];
  readonly settings: {
    readonly oai: Readonly<Record<string, unknown>> & {
      readonly openai_max_context?: number;
      readonly openai_max_tokens?: number;
    };
    readonly wi?: Readonly<Record<string, number | boolean>>;
  };
}

/** What a chat file holds while a case is played. */
interface Playing {
  header: Record<string, unknown>;
  lines: object[];
}

/** The second set repeats no file of the first, and its probes stand beside theirs. */
export const at = (path: string): string => {
  const own = path.replace(/^data\//, "").replace(/^st-oracle\/probes\//, "probes/");
  const second = join(corpus ?? "", "st2/open", own);
  return existsSync(second) && !path.startsWith("st-oracle/") ? second : join(corpus ?? "", own);
};
export const read = (path: string, name = basename(path, extname(path))): TavernFile =>
  readTavernFile(readFileSync(at(path)), { name }, importReport());
export const fromJson = (value: unknown, name = ""): TavernFile =>
  readTavernFile(Buffer.from(JSON.stringify(value)), { name }, importReport());

/** The preset in force where a case names none: the recorded settings, and the prompts of the stock preset. */
function presetOf(recorded: Recorded): TavernFile {
  const { settings } = recorded;
  const { preset, turns = [] } = recorded.case;
  const { prompts } = JSON.parse(readFileSync(at("presets/Default.json"), "utf8")) as { prompts: unknown };
  // The texts that the recorded settings lack are those of a fresh installation, which this preset was saved by.
  const fresh = JSON.parse(readFileSync(at("data/probes/p-sendempty.json"), "utf8")) as Record<string, unknown>;
  const { prompt_order: order, ...fields } = settings.oai;
  const limits = { openai_max_context: fields.openai_max_context, openai_max_tokens: fields.openai_max_tokens };
  if (preset !== undefined) {
    const own = JSON.parse(readFileSync(at(preset), "utf8")) as Record<string, unknown>;
    return fromJson({ ...own, ...limits }, basename(preset, ".json"));
  }
  // The recorded installation had a longer text than its presets have: it is an input that only the output shows.
  const asked = turns.findIndex((turn) => turn.type === "impersonate");
  const impersonation = recorded.turns?.[asked]?.messages.at(-1)?.content;
  const shown = impersonation === undefined ? {} : { impersonation_prompt: impersonation };
  return fromJson(
    { ...fresh, ...fields, ...shown, prompts, prompt_order: [{ character_id: 100_001, order }] },
    "stock",
  );
}

export function startPlaying({ case: { chat, append = [], card, turns }, name1 }: Recorded): Playing | undefined {
  if (chat === undefined && !turns) return undefined;
  const header = { user_name: name1, chat_metadata: {} };
  if (chat === undefined) {
    const [greeting] = importTavern([read(card)], { user: name1 }).entries;
    const line = greeting?.type === "message" ? { name: greeting.said?.by, mes: greeting.message.content } : {};
    return { header, lines: [{ is_user: false, ...line }] };
  }
  const text = readFileSync(at(chat), "utf8");
  const all = text.split("\n").filter((line) => line.trim() !== "");
  const lines = all.map((line) => JSON.parse(line) as Record<string, unknown>);
  const own = lines[0] && !("mes" in lines[0]) ? lines.shift() : undefined;
  return {
    header: own ?? header,
    lines: [...lines, ...append.map((mes) => ({ name: name1, is_user: true, mes }))],
  };
}

function chatOf(playing: Playing | undefined): TavernFile[] {
  if (!playing) return [];
  const lines = [playing.header, ...playing.lines].map((line) => JSON.stringify(line));
  return [readTavernFile(Buffer.from(lines.join("\n")), { name: "chat" }, importReport())];
}

function bookOf(file: string, name: string, allConstant: boolean | undefined): TavernFile {
  if (!allConstant) return read(file, name);
  const book = JSON.parse(readFileSync(at(file), "utf8")) as { entries: Record<string, object> };
  const entries = Object.entries(book.entries).map(([key, entry]) => [
    key,
    { ...entry, constant: true, disable: false },
  ]);
  return fromJson({ ...book, entries: Object.fromEntries(entries) }, name);
}

function ownersOf({ case: own }: Recorded): Record<string, "chat" | "persona" | "character" | "global"> {
  const owners: Record<string, "chat" | "persona" | "character" | "global"> = {};
  const global = new Set((own.worlds ?? []).filter((world) => !world.notGlobal).map((world) => world.name));
  const link = (name: string | undefined, owner: "chat" | "persona" | "character"): void => {
    if (name !== undefined && name !== "" && !global.has(name)) owners[name] ??= owner;
  };
  link(own.chatWorld, "chat");
  link(own.power?.persona_description_lorebook, "persona");
  for (const name of [own.charWorld, ...(own.charExtraWorlds ?? [])]) link(name, "character");
  return owners;
}

/** The files of a case; the preset and the books may be others than the recorded ones. */
export function importCase(
  recorded: Recorded,
  playing: Playing | undefined,
  { isFirst = true, replaced }: { isFirst?: boolean; replaced?: readonly TavernFile[] } = {},
): TavernImport {
  const { card, card2, worlds = [], note, power, allConstant, importBook = false } = recorded.case;
  // Linked books are looked at in the order in which they are linked.
  const linked = [recorded.case.charWorld, ...(recorded.case.charExtraWorlds ?? [])];
  const sorted = worlds.toSorted((a, b) => linked.indexOf(a.name) - linked.indexOf(b.name));
  const own = replaced ?? [presetOf(recorded), ...sorted.map(({ name, file }) => bookOf(file, name, allConstant))];
  const files = [
    read(card),
    ...(card2 === undefined ? [] : [read(card2)]),
    ...own,
    ...chatOf(playing),
    ...(note ? [fromJson(note)] : []),
    ...(power && "persona_description" in power ? [fromJson(power)] : []),
  ];
  return importTavern(files, {
    user: recorded.name1,
    useEmbeddedBook: importBook,
    owners: ownersOf(recorded),
    ...(recorded.settings.wi ? { worldInfo: { ...recorded.settings.wi } } : {}),
    ...(recorded.avatar === undefined ? {} : { avatar: basename(recorded.avatar, ".png") }),
    ...(recorded.case.charTags ? { tags: recorded.case.charTags } : {}),
    readsNote: recorded.case.allowWIScan === true,
    // In the recorded program a persona in the chat is read from the second generation on.
    readsPersona: !isFirst,
  });
}

const folders = ["expected", "probes/expected", "st2/open/expected", "st2/open/probes/expected", "keywords/expected"];
// Read by the tests that need them: this body runs where there is no corpus, too.
export const readCases = (only = folders): readonly Recorded[] =>
  only.flatMap((folder) =>
    readdirSync(join(corpus ?? "", folder)).map(
      (file): Recorded => JSON.parse(readFileSync(join(corpus ?? "", folder, file), "utf8")) as Recorded,
    ),
  );

/** What no other program can draw again: {{random}} does not ask the generator that the recordings had fixed at 0.5. */
const draws = new Map([["N08-macros", { macro: "{{random}}", drawn: /(?<=^r:)[abc](?=\|)/ }]]);

/** Where two lists differ; what `drawn` finds in a text may be any. */
export function firstDifference(sent: Sent, messages: readonly ModelMessage[], drawn?: RegExp): string {
  const ours = toOpenAiChat({ messages }).request.messages;
  const fixed = (content: unknown): unknown =>
    drawn && typeof content === "string" ? content.replace(drawn, "…") : content;
  for (let index = 0; index < Math.max(ours.length, sent.messages.length); index += 1) {
    const [mine, theirs] = [ours[index], sent.messages[index]];
    const isSame =
      mine?.role === theirs?.role &&
      fixed(mine?.content) === fixed(theirs?.content) &&
      (mine && "name" in mine ? mine.name : undefined) === theirs?.name;
    if (!isSame) return `message ${index + 1}: ${JSON.stringify(mine)} instead of ${JSON.stringify(theirs)}`;
  }
  return "";
}

export interface Generation {
  readonly id: string;
  readonly sent: Sent;
  /** The first difference; empty where the lists are equal, but for what was drawn. */
  readonly why: string;
  /** What was drawn there and here, where that is all that differs. */
  readonly drawn: string;
}

const replyOf = (type: string | undefined): ReplyKind => (type ?? "normal") as ReplyKind;

export function buildCase(recorded: Recorded, imported: TavernImport, turn: Turn, account: TokenAccount): Build {
  const { preset } = parsePreset(JSON.stringify(imported.preset));
  const { openai_max_context: context = 200_000, openai_max_tokens: response = 300 } = recorded.settings.oai;
  return build({
    preset,
    entries: imported.entries,
    account,
    model: "gpt-4o",
    now: "2026-11-15T12:00:00Z",
    reply: replyOf(turn.type),
    ...(turn.quiet === undefined ? {} : { replyPrompt: turn.quiet }),
    fixedDraw: 0.5,
    config: { maxInputTokens: context - response, targetRatio: 1 },
  });
}

/** Plays a case turn by turn; what stays and stays away goes from build to build through the chat's file. */
export function play(recorded: Recorded, account: TokenAccount): Generation[] {
  const playing = startPlaying(recorded);
  const { type, quiet, id } = recorded.case;
  const single: Turn = { ...(type === undefined ? {} : { type }), ...(quiet === undefined ? {} : { quiet }) };
  const { turns = [single] } = recorded.case;
  return turns.map((turn, index) => {
    const sent = recorded.turns?.[index] ?? recorded;
    if (playing && turn.user !== undefined) playing.lines.push({ name: recorded.name1, is_user: true, mes: turn.user });
    if (turn.type === "swipe" || turn.type === "regenerate") playing?.lines.pop();
    let [why, drawn] = ["", ""];
    try {
      const imported = importCase(recorded, playing, { isFirst: index === 0 });
      const built = buildCase(recorded, imported, turn, account);
      const draw = draws.get(id);
      why = firstDifference(sent, built.messages);
      if (why !== "" && draw && firstDifference(sent, built.messages, draw.drawn) === "")
        [why, drawn] = ["", `equal but for what ${draw.macro} drew`];
      keepEffects(playing, built.entriesToAppend);
    } catch (error) {
      why = String(error);
    }
    advance(playing, turn, recorded);
    return { id: turns.length > 1 ? `${id} ${index + 1}` : id, sent, why, drawn };
  });
}

function keepEffects(playing: Playing | undefined, appended: readonly SessionEntry[]): void {
  const entry = appended.find((one) => one.type === "activation");
  if (!playing || entry?.type !== "activation") return;
  const metadata = playing.header["chat_metadata"] as object;
  playing.header = {
    ...playing.header,
    chat_metadata: { ...metadata, timedWorldInfo: { sticky: entry.sticky, cooldown: entry.cooldown } },
  };
}

/** The reply, and what was deleted behind it. Quiet and impersonated replies leave no message. */
function advance(playing: Playing | undefined, turn: Turn, recorded: Recorded): void {
  if (!playing || turn.reply === undefined) return;
  const last = playing.lines.at(-1) as { mes: string } | undefined;
  if (turn.type === "continue" && last) playing.lines.splice(-1, 1, { ...last, mes: last.mes + turn.reply });
  else if (turn.type !== "quiet" && turn.type !== "impersonate")
    playing.lines.push({ name: (recorded as { name2?: string }).name2, is_user: false, mes: turn.reply });
  if (turn.deleteLastAfter) playing.lines.splice(-turn.deleteLastAfter);
}
