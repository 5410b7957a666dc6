import type { GalleyError } from "../../../model/check/errors.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import { importFailed } from "../../files/import-report.ts";

/** A file that people bring along and that is not one of those that are read. */
interface ForeignKind {
  readonly what: string;
  /** Whether the fields are those of such a file. */
  readonly is: (value: JsonObject) => boolean;
  /** What works instead. */
  readonly hint: string;
}

const has =
  (...keys: readonly string[]) =>
  (value: JsonObject): boolean =>
    keys.every((key) => key in value);

const chatModels = "Chat models need none. Cards, world info, chat-completion presets and chats can be imported.";
const asChat = "SillyTavern imports it: bring the chat (.jsonl) that it makes of it.";
const asCard = "SillyTavern imports it: bring the card (PNG or JSON) that it makes of it.";

/** Each is known by fields that no other has; the first that fits counts. */
const foreignKinds: readonly ForeignKind[] = [
  { what: "an instruct template of SillyTavern", is: has("input_sequence", "output_sequence"), hint: chatModels },
  { what: "a context template of SillyTavern", is: has("story_string"), hint: chatModels },
  {
    what: "a file of master settings of SillyTavern (instruct, context, system prompt)",
    is: (value) => has("instruct", "context")(value) || has("sysprompt", "context")(value),
    hint: chatModels,
  },
  {
    what: "a reasoning template of SillyTavern",
    is: has("prefix", "suffix", "separator"),
    hint: "Galley reads the reasoning of models by itself.",
  },
  {
    what: "a system prompt of SillyTavern",
    is: (value) =>
      has("name", "content")(value) &&
      Object.keys(value).every((key) => ["name", "content", "post_history"].includes(key)),
    hint: "It is for text completion. Put its text into a message of a preset, or into the prompt main of a chat-completion preset.",
  },
  {
    what: "a regex script of SillyTavern",
    is: has("scriptName", "findRegex"),
    hint: "Regex scripts are not run here. Cards, world info, chat-completion presets and chats can be imported.",
  },
  {
    what: "a set of quick replies of SillyTavern",
    is: (value) => "qrList" in value || "quickReplySlots" in value,
    hint: "Quick replies are buttons of SillyTavern's own; nothing here can press them.",
  },
  {
    what: "a theme of SillyTavern",
    is: (value) => has("main_text_color")(value) || has("blur_strength", "chat_display")(value),
    hint: "Themes change how SillyTavern looks, and nothing that a model reads.",
  },
  {
    what: "a text-completion preset",
    is: (value) =>
      has("rep_pen")(value) || has("temp", "top_k")(value) || has("temperature", "repetition_penalty")(value),
    hint: "It holds settings of samplers only. Chat-completion presets, which hold prompts, can be imported.",
  },
  {
    what: "an export of agents of AIO Hub",
    is: ({ type, agents }) => Array.isArray(agents) && typeof type === "string" && type.startsWith("AIO_Agent"),
    hint: 'An agent\'s presetMessages are those of a preset of Galley: keep {"presetMessages": […]} as a file and use galley preset save.',
  },
  {
    what: "an agent of AIO Hub",
    is: isHubAgent,
    hint: "Its presetMessages are those of a preset of Galley: galley preset save NAME FILE takes the file as it is. Model and parameters have no effect.",
  },
  {
    what: "a group of SillyTavern",
    is: has("members", "activation_strategy"),
    hint: "It only names its members: import their cards together; several cards are a group.",
  },
  {
    what: "a file of SillyTavern's passwords",
    is: (value) => Object.keys(value).length > 0 && Object.keys(value).every((key) => key.startsWith("api_key_")),
    hint: "Passwords are not imported. Set the key of your provider as its environment variable.",
  },
  {
    what: "a layout of SillyTavern's panels",
    is: has("movingUIState"),
    hint: "It changes how SillyTavern looks, and nothing that a model reads.",
  },
  {
    what: "a list of regex scripts of RisuAI",
    is: ({ type }) => type === "regex",
    hint: "Regex scripts are not run here. Cards and lorebooks of RisuAI can be imported.",
  },
  {
    what: "a module of RisuAI",
    is: ({ type }) => type === "risuModule",
    hint: "Its lorebook can be exported by itself and imported.",
  },
  { what: "a chat of RisuAI", is: ({ type }) => type === "risuChat", hint: asChat },
  {
    what: "a preset of RisuAI",
    is: (value) => has("formatingOrder")(value) || has("promptTemplate", "mainPrompt")(value),
    hint: "Its prompts have another order of parts. Cards and lorebooks of RisuAI can be imported.",
  },
  {
    what: "a story of NovelAI",
    is: has("storyContainerVersion"),
    hint: "Its lorebook can be exported by itself and imported.",
  },
  {
    what: "a scenario of NovelAI",
    is: has("scenarioVersion"),
    hint: "Its lorebook can be exported by itself and imported.",
  },
  { what: "a preset of NovelAI", is: has("presetVersion"), hint: "It holds settings of samplers only." },
  {
    what: "a character of Agnai",
    is: ({ kind, persona }) => kind === "character" && isJsonObject(persona),
    hint: asCard,
  },
  {
    what: "a chat of Agnai",
    is: ({ messages }) => firstOf(messages, (item) => "msg" in item && ("handle" in item || "userId" in item)),
    hint: asChat,
  },
  {
    what: "a chat of text-generation-webui (ooba)",
    is: (value) => has("internal", "visible")(value) || has("data", "data_visible")(value),
    hint: asChat,
  },
  {
    what: "a list of chats of Character.AI",
    is: ({ histories }) =>
      (isJsonObject(histories) && Array.isArray(histories["histories"])) || firstOf(histories, has("msgs")),
    hint: asChat,
  },
  { what: "a chat of Kobold Lite", is: has("savedsettings", "actions"), hint: asChat },
];

/** An agent as AIO Hub keeps it: a preset with a model. */
export function isHubAgent(value: JsonObject): boolean {
  const { presetMessages, contextRecipes } = value;
  return Array.isArray(presetMessages) && contextRecipes === undefined && has("profileId", "modelId")(value);
}

function firstOf(list: JsonValue | undefined, is: (item: JsonObject) => boolean): boolean {
  return Array.isArray(list) && isJsonObject(list[0]) && is(list[0]);
}

/** Says by name what a file is that is not read here, and what works instead; nothing for one that is not known either. */
export function foreignFile(value: unknown): GalleyError | undefined {
  if (value === null) return emptyFile();
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(one)) return undefined;
  const kind = foreignKinds.find(({ is }) => is(one));
  return kind && importFailed(`It is ${kind.what}, which is not read here.`, kind.hint);
}

function emptyFile(): GalleyError {
  return importFailed("It holds null, which is nothing.", "A program wrote an empty file: export it again.");
}

/** What is not JSON: characters of text-generation-webui are YAML. */
export function foreignText(text: string): GalleyError | undefined {
  if (text.trim() === "null") return emptyFile();
  if (!/^(?:name|context|greeting|example_dialogue):/m.test(text.slice(0, 4000))) return undefined;
  return importFailed("It is YAML, as characters of text-generation-webui (ooba) are, which is not read here.", asCard);
}
