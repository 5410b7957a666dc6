import * as z from "zod";
import { type Activation, type ActivationSettings, bookOwners, replyKinds, secondaryLogics } from "./activation.ts";

function sharedSchemas() {
  const count = z.int("Expected a whole number from 0 upwards").min(0, "Expected a whole number from 0 upwards");
  const uid = z.union([z.number(), z.string()]);
  return { count, texts: z.array(z.string()), flag: z.boolean().optional(), uid };
}

export const activationSchema: z.ZodType<Activation> = z.lazy(() => {
  const { count, texts, flag, uid } = sharedSchemas();
  return z
    .strictObject({
      book: z.string().optional(),
      uid: uid.optional(),
      keys: texts.optional().meta({ description: "Any one suffices; /pattern/flags is a regular expression." }),
      secondaryKeys: texts.optional(),
      logic: z.enum(secondaryLogics).optional(),
      constant: flag,
      // SillyTavern's files have negative ones, which read nothing.
      scanDepth: z.int().optional().meta({ description: "How many of the newest messages are read for it." }),
      caseSensitive: flag,
      wholeWords: flag,
      order: z.number().optional().meta({ description: "Looked at earlier where it is higher. Default: 100." }),
      probability: z.number().optional().meta({ description: "Out of 100." }),
      group: z.string().optional().meta({ description: "Of the entries of one group, one comes." }),
      groupOverride: flag,
      groupWeight: z.number().optional(),
      groupScoring: flag,
      sticky: count.optional().meta({ description: "How many messages it stays once it has come." }),
      cooldown: count.optional().meta({ description: "How many messages it stays away after that." }),
      delay: count.optional().meta({ description: "It does not come before the chat has this many messages." }),
      excludeRecursion: flag,
      preventRecursion: flag,
      delayUntilRecursion: count.optional(),
      ignoreBudget: flag,
      replies: z.array(z.enum(replyKinds)).optional(),
      characters: z.strictObject({ names: texts.optional(), tags: texts.optional(), exclude: flag }).optional(),
      sources: texts.optional().meta({ description: "Names of variables whose values are read like messages." }),
      when: z
        .strictObject({
          minMessages: count.optional(),
          maxMessages: count.optional(),
          everyUserMessages: count.optional(),
          lastRole: z.enum(["user", "assistant"]).optional(),
          models: texts.optional(),
          tags: texts.optional(),
        })
        .optional(),
      forced: flag,
      outlet: z.string().optional(),
      nowhere: flag,
      with: z.string().optional().meta({ description: "The id of the template it comes and goes with." }),
      needs: z.string().optional(),
      text: z.string().optional(),
      sequence: z.enum(["rising", "falling"]).optional(),
      slot: z.string().optional(),
      hash: z.number().optional(),
    })
    .meta({ description: "Makes the message one that comes and goes with the chat." }) satisfies z.ZodType<Activation>;
});

export const activationSettingsSchema: z.ZodType<ActivationSettings> = z.lazy(() => {
  const { count, texts, flag, uid } = sharedSchemas();
  return z.strictObject({
    like: z.literal("sillytavern").optional(),
    scanDepth: count.optional().meta({ description: "How many of the newest messages are read. Default: 2." }),
    minActivations: count.optional(),
    maxScanDepth: count.optional(),
    budgetPercent: z.number().min(0).optional().meta({ description: "Of the window, for all entries together." }),
    budgetTokens: count.optional(),
    readsNames: flag,
    recursive: flag.meta({ description: "Whether entries come by the texts of others. Default: true." }),
    maxRounds: count.optional(),
    caseSensitive: flag,
    wholeWords: flag.meta({ description: "Default: true." }),
    groupScoring: flag,
    strategy: z.enum(["evenly", "character-first", "global-first"]).optional(),
    books: z.array(z.strictObject({ name: z.string(), owner: z.enum(bookOwners) })).optional(),
    character: z.strictObject({ name: z.string().optional(), tags: texts.optional() }).optional(),
    reads: texts.optional().meta({ description: "Texts that are read like messages." }),
    given: z.array(z.strictObject({ book: z.string(), uid })).optional(),
  }) satisfies z.ZodType<ActivationSettings>;
});
