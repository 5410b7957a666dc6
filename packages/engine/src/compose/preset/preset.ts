import { objectCheck } from "../../model/check/input.ts";
import type { JsonObject } from "../../model/messages.ts";
import type { Activation, ActivationSettings } from "../activation/activation.ts";

/** Says where a preset message goes. Without one, messages stand in list order. */
export interface InjectionStrategy {
  /** How many history messages follow the injection: 0 after the newest, 1 before the newest [C5]. Wins over an anchor. */
  readonly depth?: number;
  /** The id of the anchor to stand beside. */
  readonly anchorTarget?: string;
  /** Which side of the anchor; `after` unless said otherwise. */
  readonly anchorPosition?: "before" | "after";
  /** Among injections of one place the higher one comes first; 100 unless said otherwise [C7]. */
  readonly order?: number;
  /**
   * `floating` (unless said otherwise): stands N messages before the end in every build. `frozen`: keeps the place among
   * the messages that it had when it was first sent, so that the prefix that a provider has cached stays valid [C14].
   */
  readonly mode?: "floating" | "frozen";
  /** With `mergeInjected`, injections of one place become one message only with those of the same group. */
  readonly group?: string;
  /** Within such a message, texts of one block lose the white space around them as a whole. */
  readonly block?: string;
  /** With a depth: it is as old as the message it stands before, and goes when that one has to go. */
  readonly leavesWithHistory?: boolean;
}

/** The roles that a preset may give a message. */
export type ChatMessageRole = "system" | "user" | "assistant";

/** `message` is the same as no type. */
export type ChatMessageType = "message" | "chat_history" | "user_profile" | "placeholder";

/** What nodes and templates have in common. */
export interface MessageFields {
  /** In a placeholder, `{{injected}}` stands for all that is injected beside it, where `mergeInjected` is on. */
  readonly content?: string;
  readonly type?: ChatMessageType;
  /** For people; it is not sent. */
  readonly name?: string;
  /** Who speaks; sent as the message's `name` where a provider has one. */
  readonly speaker?: string;
  /** True keeps it a message of its own: `mergeInjected`, `squashSystem` and `mergeNeighbours` pass it by. */
  readonly keepApart?: boolean;
  /** Whatever another program wants to find again; it has no effect. */
  readonly metadata?: JsonObject;
  /** With one, it may be left out where the window is too small; the lowest goes first [F6]. */
  readonly priority?: number;
  /** With a priority: messages of one block stay and go together, and stay after all where a cut leaves room for them. */
  readonly priorityBlock?: string;
  /** With `mergeInjected`: where its text is empty, it still leaves an empty line among the texts it is merged with. */
  readonly keepsLine?: boolean;
  /** Makes it come and go with the chat, as an entry of a lorebook does [K1]. */
  readonly activation?: Activation;
}

/** One message of a simple preset. */
export interface ChatMessageNode extends MessageFields {
  readonly id?: string;
  readonly role: ChatMessageRole;
  /** False takes it out of the build and leaves it in the preset. */
  readonly enabled?: boolean;
  readonly injectionStrategy?: InjectionStrategy;
}

/** A reusable message that says nothing about where it will stand. */
export interface MessageTemplate extends MessageFields {
  readonly id: string;
  readonly role: ChatMessageRole | "placeholder";
  /** In force where a step has no strategy of its own. */
  readonly defaultInjectionStrategy?: InjectionStrategy;
}

/** One use of a template in a recipe. */
export interface RecipeStep {
  readonly messageId: string;
  readonly enabled: boolean;
  /** Replaces the template's default as a whole; `{}` means list order. */
  readonly injectionStrategy?: InjectionStrategy;
  readonly overrides?: { readonly content?: string; readonly role?: ChatMessageRole };
  /** Instead of the template's. */
  readonly priority?: number;
}

/** Which templates make up the context of which models, and in what order. */
export interface ContextRecipe {
  readonly id: string;
  readonly name?: string;
  /** Model ids; `*` stands for any text. A lone `*` is the recipe for all other models. */
  readonly modelFilter: readonly string[];
  readonly steps: readonly RecipeStep[];
}

/** What happens to the finished list [C12]. Everything is off unless asked for, and runs in this order. */
export interface PostProcessing {
  /** Injections of one place and one role become one message, joined by a newline. */
  readonly mergeInjected?: boolean;
  /** Text of white space only is sent; a message without any text counts for depths and is left out at the end. */
  readonly keepBlank?: boolean;
  /** Neither the history nor what stands in it by depth is sent. */
  readonly omitHistory?: boolean;
  /** The newest history message goes behind everything, and this text follows it as a system message. */
  readonly continueLast?: string;
  /** Neighbouring system messages without a speaker become one, joined by a newline. */
  readonly squashSystem?: boolean;
  /** All system messages become one at the head. */
  readonly mergeSystemToHead?: boolean;
  /** System messages are sent as user messages. */
  readonly systemToUser?: boolean;
  /** Neighbours of one role become one message. */
  readonly mergeNeighbours?: boolean;
  /** Fillers are put in so that user and assistant alternate, beginning with user. */
  readonly forceAlternation?: boolean;
}

/** How a model is asked to go on with its last message. */
interface ContinueOptions {
  /** Behind everything stands the message, then this as a system message. */
  readonly nudge?: string;
  /** The message is taken out before depths are counted, and stands behind everything, for a model that goes on by itself. */
  readonly prefill?: boolean;
}

/**
 * What a preset may say of the turns that use it [T3]: `null` stands for the built-in default. A preset may come from a
 * stranger, so that it can neither read the environment nor choose a model that costs money.
 */
export interface PresetContext {
  /** Stands before everything that the preset sends. */
  readonly systemPrompt?: string | null | undefined;
  /** Values for `{{name}}`; they win over the preset's `variables`. */
  readonly variables?: Readonly<Record<string, string>> | null | undefined;
  /** What holds just now, sent before the last user message. */
  readonly hints?: Readonly<Record<string, string>> | null | undefined;
  /** The text for `user_profile`. */
  readonly userProfile?: string | null | undefined;
  /** Of the labels that Galley writes. */
  readonly language?: "auto" | "en" | "zh" | null | undefined;
  readonly maxHistoryMessages?: number | null | undefined;
  readonly targetRatio?: number | null | undefined;
}

/** A preset: `presetMessages` alone (simple), or `messageTemplates` with `contextRecipes` (advanced) [C1]. */
export interface Preset {
  readonly $schema?: string;
  readonly version?: 1;
  readonly name?: string;
  readonly description?: string;
  readonly presetMessages?: readonly ChatMessageNode[];
  readonly messageTemplates?: readonly MessageTemplate[];
  readonly contextRecipes?: readonly ContextRecipe[];
  /** Values for `{{name}}`; those that a build is given win. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings of the turns that use this preset; what a turn or its place says wins [T3]. */
  readonly context?: PresetContext;
  /** What holds for all messages that come and go with the chat [K1]. */
  readonly activation?: ActivationSettings;
  /**
   * Texts may use SillyTavern's macros, such as `{{random::a::b}}` and `{{setvar::x::1}}` [C10]. `sillytavern` are those that
   * the first version of the import knew: what it imported is built as it was then.
   */
  readonly macros?: "sillytavern" | "sillytavern-1.19";
  readonly postProcessing?: PostProcessing;
  /** What becomes of the newest message where a reply is to go on with it. */
  readonly onContinue?: ContinueOptions;
  /** Whatever another program wants to find again; it has no effect. */
  readonly metadata?: JsonObject;
}

/** True when recipes decide; then `presetMessages` are not read. */
export function isAdvanced(preset: Preset): boolean {
  if (typeof preset !== "object" || preset === null) objectCheck(preset, "preset");
  return (preset.contextRecipes?.length ?? 0) > 0 || preset.presetMessages === undefined;
}

export const defaultOrder = 100;

/** In the content of a placeholder: the place of all that is injected beside it. */
export const injectedMark = "{{injected}}";
