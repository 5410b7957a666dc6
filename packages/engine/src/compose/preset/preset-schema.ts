import * as z from "zod";
import { type InputCheck, inputCheck, listCheck } from "../../model/check-input.ts";
import type { JsonObject } from "../../model/messages.ts";
import { activationSchema, activationSettingsSchema } from "../activation/activation-schema.ts";
import { presetContext } from "./preset-context.ts";
import type { Preset } from "./preset.ts";

// Strict objects report unknown fields; `parsePreset` turns those reports into warnings and keeps the fields. All of it is
// made with the first check, as all schemas are [J4].
function strategySchema() {
  return z.strictObject({
    depth: z
      .int("Expected a whole number from 0 upwards: how many history messages follow the injection")
      .min(0, "Expected a whole number from 0 upwards: how many history messages follow the injection")
      .optional()
      .meta({
        description: "How many history messages follow the injection: 0 after the newest, 1 before the newest.",
      }),
    anchorTarget: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "The anchor to stand beside: chat_history, user_profile or the id of a placeholder." }),
    anchorPosition: z.enum(["before", "after"]).optional().meta({ description: "Default: after." }),
    order: z
      .number()
      .optional()
      .meta({ description: "Higher comes first among injections of one place. Default: 100." }),
    mode: z
      .enum(["floating", "frozen"])
      .optional()
      .meta({ description: "frozen keeps the place it had when first sent, which keeps a provider's cache valid." }),
    group: z
      .string()
      .optional()
      .meta({ description: "With mergeInjected, only injections of one group become one message." }),
    block: z
      .string()
      .optional()
      .meta({ description: "Texts of one block lose the white space around them as a whole." }),
    leavesWithHistory: z
      .boolean()
      .optional()
      .meta({ description: "It goes when the message it stands before has to go." }),
  });
}

function basicSchemas() {
  const priority = z
    .number()
    .optional()
    .meta({ description: "With one, it may be left out where the window is too small; the lowest goes first." });
  // Not walked through: it may be large, and its writer knows its shape.
  const metadata = z
    .custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
      error: "Expected an object",
    })
    .optional()
    .meta({ description: "For other programs; it has no effect.", type: "object" });
  return {
    role: z.enum(["system", "user", "assistant"]),
    type: z.enum(["message", "chat_history", "user_profile", "placeholder"]),
    id: z.string().min(1),
    priority,
    metadata,
  };
}

/** What both nodes and templates have. */
function messageFields({ type, metadata, priority }: ReturnType<typeof basicSchemas>) {
  const content = z.string().optional().meta({
    description: "In a placeholder, {{injected}} stands for all that is injected beside it, where mergeInjected is on.",
  });
  const speaker = z
    .string()
    .optional()
    .meta({ description: "Who speaks; sent as the message's name where a provider has one." });
  const keepApart = z.boolean().optional().meta({ description: "True keeps it a message of its own." });
  return {
    content,
    type: type.optional(),
    name: z.string().optional(),
    speaker,
    keepApart,
    metadata,
    priority,
    priorityBlock: z
      .string()
      .optional()
      .meta({ description: "With a priority: messages of one block stay and go together." }),
    keepsLine: z.boolean().optional().meta({ description: "An empty text leaves an empty line where it is merged." }),
    activation: activationSchema.optional(),
  };
}

function itemSchemas() {
  const basic = basicSchemas();
  const { role, id, priority } = basic;
  const injectionStrategy = strategySchema();
  const fields = messageFields(basic);
  const node = z.strictObject({
    id: id.optional(),
    role,
    ...fields,
    enabled: z.boolean().optional(),
    injectionStrategy: injectionStrategy.optional(),
  });
  const template = z.strictObject({
    id,
    role: z.enum(["system", "user", "assistant", "placeholder"]),
    ...fields,
    defaultInjectionStrategy: injectionStrategy
      .optional()
      .meta({ description: "In force where a recipe's step has no strategy of its own." }),
  });
  const step = z.strictObject({
    messageId: id.meta({ description: "The id of a template." }),
    enabled: z.boolean(),
    injectionStrategy: injectionStrategy
      .optional()
      .meta({ description: "Replaces the template's default; {} means list order." }),
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
    keepBlank: z
      .boolean()
      .optional()
      .meta({ description: "Text of white space only is sent; a message without text counts for depths." }),
    omitHistory: z
      .boolean()
      .optional()
      .meta({ description: "Neither the history nor what stands in it by depth is sent." }),
    continueLast: z.string().optional().meta({
      description: "The newest history message goes behind everything, followed by this as a system message.",
    }),
    squashSystem: z
      .boolean()
      .optional()
      .meta({ description: "Neighbouring system messages without a speaker become one, joined by a newline." }),
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
      context: presetContext()
        .optional()
        .meta({ description: "Settings of the turns that use this preset; what a turn or its place says wins." }),
      activation: activationSettingsSchema
        .optional()
        .meta({ description: "What holds for all messages that come and go with the chat." }),
      macros: z
        .enum(["sillytavern", "sillytavern-1.19"])
        .optional()
        .meta({ description: "Texts may use SillyTavern's macros." }),
      postProcessing: postProcessingSchema().optional(),
      onContinue: z
        .strictObject({ nudge: z.string().optional(), prefill: z.boolean().optional() })
        .optional()
        .meta({ description: "What becomes of the newest message where a reply is to go on with it." }),
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
export const recipesCheck: InputCheck = listCheck(
  inputCheck(
    z.lazy(() => items().recipe),
    { code: "PresetInvalid" },
  ),
);
export const templateCheck: InputCheck = inputCheck(
  z.lazy(() => items().template),
  { code: "PresetInvalid" },
);
export const stepCheck: InputCheck = inputCheck(
  z.lazy(() => items().step),
  { code: "PresetInvalid" },
);
/** What names an anchor: a node or a template. */
export const anchorSourceCheck: InputCheck = inputCheck(
  z.lazy(() => z.looseObject({ id: z.string().optional(), role: z.string(), type: basicSchemas().type.optional() })),
  { code: "PresetInvalid" },
);
