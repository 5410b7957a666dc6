import * as z from "zod";

const name = z.string().trim().min(1);

/** One rule of `pack_arguments`: which argument becomes a card, and what kind of card. */
export const packRuleSchema = z.strictObject({
  arg_key: name,
  as_card_type: name.default("task.instruction"),
  card_metadata: z.looseObject({ role: z.enum(["system", "user", "assistant"]).default("user") }).prefault({}),
});

const inheritSchema = z.strictObject({
  include_boxes_from_args: z.array(name).default([]),
  include_parent: z.boolean().default(false),
});

const packingSchema = z.strictObject({
  // Elements that are not objects are passed over, so that a rule can be struck out without moving the others.
  pack_arguments: z.array(z.unknown()).default([]),
  inherit_context: inheritSchema.prefault({}),
});

/** How a context is packed for another agent. Handlers may bring one of their own. */
export const handoverSchema = z.strictObject({
  target_profile_config: z.strictObject({ profile_name: name.optional() }).prefault({}),
  context_packing_config: packingSchema.prefault({}),
});

/** Which arguments of a tool become cards of a box, and how. */
export type HandoverConfig = z.input<typeof handoverSchema>;
