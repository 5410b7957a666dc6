import * as z from "zod";
import { type InputCheck, inputCheck, listCheck } from "../../model/check/input.ts";
import type { JsonObject } from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { activationSchema, activationSettingsSchema } from "../activation/activation-schema.ts";
import { presetContext } from "./preset-context.ts";
import type { Preset } from "./preset.ts";

// Strict objects report unknown fields; `parsePreset` turns those reports into warnings and keeps the fields. All of it is
// made with the first check, as all schemas are [J4].

/** A field that may be missing, with what editors say of it. */
function may<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({ description });
}

function strategySchema() {
  const depthError = "Expected a whole number from 0 upwards: how many history messages follow the injection";
  return z.strictObject({
    depth: may(
      z.int(depthError).min(0, depthError),
      "How many history messages follow the injection: 0 after the newest, 1 before the newest.",
    ),
    anchorTarget: may(
      z.string().min(1),
      "The anchor to stand beside: chat_history, user_profile or the id of a placeholder.",
    ),
    anchorPosition: may(z.enum(["before", "after"]), "Default: after."),
    order: may(z.number(), "Higher comes first among injections of one place. Default: 100."),
    mode: may(
      z.enum(["floating", "frozen"]),
      "frozen keeps the place it had when first sent, which keeps a provider's cache valid.",
    ),
    group: may(z.string(), "With mergeInjected, only injections of one group become one message."),
    block: may(z.string(), "Texts of one block lose the white space around them as a whole."),
    leavesWithHistory: may(z.boolean(), "It goes when the message it stands before has to go."),
  });
}

function basicSchemas() {
  // Not walked through: it may be large, and its writer knows its shape.
  const metadata = z
    .custom<JsonObject>(isJsonObject, { error: "Expected an object" })
    .optional()
    .meta({ description: "For other programs; it has no effect.", type: "object" });
  return {
    role: z.enum(["system", "user", "assistant"]),
    type: z.enum(["message", "chat_history", "user_profile", "placeholder"]),
    id: z.string().min(1),
    priority: may(z.number(), "With one, it may be left out where the window is too small; the lowest goes first."),
    metadata,
  };
}

/** What both nodes and templates have. */
function messageFields({ type, metadata, priority }: ReturnType<typeof basicSchemas>) {
  return {
    content: may(
      z.string(),
      "In a placeholder, {{injected}} stands for all that is injected beside it, where mergeInjected is on.",
    ),
    type: type.optional(),
    name: z.string().optional(),
    speaker: may(z.string(), "Who speaks; sent as the message's name where a provider has one."),
    keepApart: may(z.boolean(), "True keeps it a message of its own."),
    metadata,
    priority,
    priorityBlock: may(z.string(), "With a priority: messages of one block stay and go together."),
    keepsLine: may(z.boolean(), "An empty text leaves an empty line where it is merged."),
    activation: activationSchema.optional(),
  };
}

function itemSchemas() {
  const basic = basicSchemas();
  const { role, id, priority } = basic;
  const strategy = strategySchema();
  const fields = messageFields(basic);
  const node = z.strictObject({
    id: id.optional(),
    role,
    ...fields,
    enabled: z.boolean().optional(),
    injectionStrategy: strategy.optional(),
  });
  const template = z.strictObject({
    id,
    role: z.enum(["system", "user", "assistant", "placeholder"]),
    ...fields,
    defaultInjectionStrategy: may(strategy, "In force where a recipe's step has no strategy of its own."),
  });
  const step = z.strictObject({
    messageId: id.meta({ description: "The id of a template." }),
    enabled: z.boolean(),
    injectionStrategy: may(strategy, "Replaces the template's default; {} means list order."),
    overrides: z.strictObject({ content: z.string().optional(), role: role.optional() }).optional(),
    priority,
  });
  const recipe = z.strictObject({
    id,
    name: z.string().optional(),
    modelFilter: z
      .array(z.string().min(1))
      .meta({ description: "Model ids; * stands for any text. A lone * is the recipe for all other models." }),
    steps: z.array(step),
  });
  return { node, template, step, recipe, metadata: basic.metadata };
}

let made: ReturnType<typeof itemSchemas> | undefined;

function items(): ReturnType<typeof itemSchemas> {
  made ??= itemSchemas();
  return made;
}

function postProcessingSchema() {
  return z.strictObject({
    mergeInjected: z.boolean().optional(),
    keepBlank: may(z.boolean(), "Text of white space only is sent; a message without text counts for depths."),
    omitHistory: may(z.boolean(), "Neither the history nor what stands in it by depth is sent."),
    continueLast: may(
      z.string(),
      "The newest history message goes behind everything, followed by this as a system message.",
    ),
    squashSystem: may(z.boolean(), "Neighbouring system messages without a speaker become one, joined by a newline."),
    mergeSystemToHead: z.boolean().optional(),
    systemToUser: z.boolean().optional(),
    mergeNeighbours: z.boolean().optional(),
    forceAlternation: z.boolean().optional(),
  });
}

export const presetSchema: z.ZodType<Preset> = z.lazy(() => {
  const { node, template, recipe, metadata } = items();
  return z
    .strictObject({
      $schema: z.string().optional(),
      version: z.literal(1).optional(),
      name: z.string().optional(),
      description: z.string().optional(),
      presetMessages: z.array(node).optional(),
      messageTemplates: z.array(template).optional(),
      contextRecipes: z.array(recipe).optional(),
      variables: z.record(z.string(), z.string()).optional(),
      context: may(presetContext(), "Settings of the turns that use this preset; what a turn or its place says wins."),
      activation: may(activationSettingsSchema, "What holds for all messages that come and go with the chat."),
      macros: may(z.enum(["sillytavern", "sillytavern-1.19"]), "Texts may use SillyTavern's macros."),
      postProcessing: postProcessingSchema().optional(),
      onContinue: may(
        z.strictObject({ nudge: z.string().optional(), prefill: z.boolean().optional() }),
        "What becomes of the newest message where a reply is to go on with it.",
      ),
      metadata,
    })
    .meta({
      title: "Galley preset",
      description: "What a model reads, and in what order.",
    }) satisfies z.ZodType<Preset>;
});

/** Presets whose shape is known to be right. */
export const knownPresets = new WeakSet<object>();

/** Checks the shape of a preset, once; what its ids refer to is for `checkPreset`. */
export const presetCheck: InputCheck = inputCheck(presetSchema, {
  code: "PresetInvalid",
  hint: "parsePreset lists everything that is wrong with a preset.",
  known: knownPresets,
});
export const recipesCheck: InputCheck = listCheck(partCheck(() => items().recipe));
export const templateCheck: InputCheck = partCheck(() => items().template);
export const stepCheck: InputCheck = partCheck(() => items().step);
/** What names an anchor: a node or a template. */
export const anchorSourceCheck: InputCheck = partCheck(() =>
  z.looseObject({ id: z.string().optional(), role: z.string(), type: basicSchemas().type.optional() }),
);

function partCheck(schema: () => z.ZodType): InputCheck {
  return inputCheck(z.lazy(schema), { code: "PresetInvalid" });
}
