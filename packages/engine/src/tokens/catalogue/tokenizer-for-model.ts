import { fieldsCheck, optional, textCheck } from "../../model/check/input.ts";
import { type Calibration, calibrationCheck, calibrationFactor } from "./calibration.ts";
import type { MediaRule } from "../media/count-media.ts";
import { isEstimatedFamily } from "../counters/estimated-tokenizer.ts";
import { loadTokenizer } from "../counters/load-tokenizer.ts";
import { mediaRuleFor } from "./media-rules.ts";
import { type TokenizerFamily, familyOf } from "../counters/tokenizer-family.ts";
import type { Tokenizer } from "../counters/tokenizer.ts";

export interface ModelTokenizerOptions {
  /** What the provider has reported so far: estimates are corrected by it. */
  readonly calibration?: Calibration;
  /** Instead of the family that the model's name tells. */
  readonly family?: TokenizerFamily;
  /** Exactly this tokenizer, by the id that a figure or a record carries. */
  readonly id?: string;
}

const optionsCheck = fieldsCheck({ calibration: calibrationCheck, family: textCheck, id: textCheck });

/**
 * The tokenizer that comes nearest to a model's own, with its provider's rule for pictures. It is exact where the
 * vocabulary is public and small enough to load, and otherwise an estimate that is rather too high than too low.
 */
export async function tokenizerForModel(
  model: string | undefined,
  options: ModelTokenizerOptions = {},
): Promise<Tokenizer> {
  optional(textCheck)(model, "model");
  optionsCheck(options, "options");
  const { calibration, family = familyOf(model), id } = options;
  const factor =
    calibration && model !== undefined && isEstimatedFamily(family) ? calibrationFactor(calibration, model) : undefined;
  const tokenizer = await loadTokenizer(id ?? (factor === undefined ? family : `${family}@${factor}`));
  return withMedia(tokenizer, mediaRuleFor(model));
}

// One for each pair, so that what was counted with it is known wherever it is asked for again.
const known = new Map<string, Tokenizer>();

function withMedia(tokenizer: Tokenizer, media: MediaRule): Tokenizer {
  const key = `${tokenizer.id} ${JSON.stringify(media)}`;
  const found = known.get(key) ?? { ...tokenizer, media };
  known.set(key, found);
  return found;
}
