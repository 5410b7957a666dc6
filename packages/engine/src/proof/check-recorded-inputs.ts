import * as z from "zod";
import { parsePreset } from "../compose/preset/parse-preset.ts";
import { GalleyError, throwOnErrors } from "../model/errors.ts";
import { parseTools } from "../model/parse-tools.ts";
import { problemsOf } from "../model/zod-problems.ts";
import type { OpenedRecord } from "./build-record.ts";

const object = z.record(z.string(), z.unknown());
const inputs = z.looseObject({
  config: z
    .looseObject({
      maxInputTokens: z.number(),
      maxHistoryMessages: z.number().optional(),
      reserveOutputTokens: z.number().optional(),
      targetRatio: z.number().optional(),
    })
    .optional(),
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
  userProfile: z.string().optional(),
  variables: z.record(z.string(), z.string()).optional(),
  now: z.string().optional(),
  runtimeInit: object.optional(),
  hints: object.optional(),
  leafId: z.string().optional(),
});

/** A session file comes from outside, and so does what its records say; throws with every problem when it cannot be used. */
export function checkRecordedInputs({ inputs: recorded }: OpenedRecord, recordId: string): void {
  const path = `${recordId}.inputs`;
  const result = inputs.safeParse(recorded);
  if (!result.success) throwOnErrors(problemsOf(result.error.issues, "SessionInvalid", path));
  try {
    if (recorded.preset !== undefined) parsePreset(recorded.preset);
    if (recorded.tools !== undefined) parseTools(recorded.tools);
  } catch (cause) {
    if (!(cause instanceof GalleyError)) throw cause;
    const { message, hint, problems } = cause;
    const where = cause.path === undefined || cause.path === "" ? path : `${path}: ${cause.path}`;
    throw new GalleyError("SessionInvalid", `The build ${recordId} holds what cannot be built: ${message}`, {
      path: where,
      hint,
      problems,
      cause,
    });
  }
}
