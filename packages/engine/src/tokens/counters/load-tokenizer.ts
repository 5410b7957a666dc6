import { textCheck } from "../../model/check/input.ts";
import { type Encoding, bpeTokenizer, encodingOf } from "./bpe-tokenizer.ts";
import { estimatedTokenizer, isEstimatedFamily } from "./estimated-tokenizer.ts";
import { cl100kPieceEnd, o200kPieceEnd } from "./split-text.ts";
import { familyOf } from "./tokenizer-family.ts";
import type { ExactEncoding, Tokenizer } from "./tokenizer.ts";

// Each vocabulary is megabytes, so none is loaded before it is asked for.
const loaders: Record<ExactEncoding, () => Promise<Encoding>> = {
  o200k_base: async () => encodingOf(await import("../vocabularies/o200k_base.ts"), o200kPieceEnd),
  cl100k_base: async () => encodingOf(await import("../vocabularies/cl100k_base.ts"), cl100kPieceEnd),
};

const encodings = new Map<ExactEncoding, Promise<Encoding>>();
const tokenizers = new Map<string, Promise<Tokenizer>>();

/**
 * Loads a tokenizer by the id that figures and records carry: an exact encoding, a family whose counts are estimated
 * (`claude`), or one with the factor that calibrated it (`claude@1.04`). A model's name gives what its family has. It is built once, however often it is asked for.
 *
 * @example
 * const tokenizer = await loadTokenizer("o200k_base");
 * tokenizer.count("Hello world"); // → 2
 * tokenizer.exactness; // → "exact"
 */
export async function loadTokenizer(id: string): Promise<Tokenizer> {
  textCheck(id, "id");
  const [name = "", factor] = id.split("@");
  const family = isExact(name) || isEstimatedFamily(name) ? name : familyOf(name);
  return once(tokenizers, id, () => (isExact(family) ? exact(family) : estimated(family, factor)));
}

function once<Key, Value>(known: Map<Key, Promise<Value>>, key: Key, load: () => Promise<Value>): Promise<Value> {
  const before = known.get(key);
  if (before) return before;
  const loading = load();
  known.set(key, loading);
  // A vocabulary that could not be fetched this time may be fetched the next.
  loading.catch(() => known.delete(key));
  return loading;
}

function isExact(id: string): id is ExactEncoding {
  return Object.hasOwn(loaders, id);
}

async function exact(id: ExactEncoding): Promise<Tokenizer> {
  return bpeTokenizer(id, await once(encodings, id, loaders[id]));
}

/** An id that nothing is known about counts as the costliest family does. */
async function estimated(family: string, factor: string | undefined): Promise<Tokenizer> {
  const calibration = Number(factor ?? Number.NaN);
  return estimatedTokenizer(
    await once(encodings, "o200k_base", loaders.o200k_base),
    isEstimatedFamily(family) ? family : "other",
    calibration > 0 && calibration < Infinity ? calibration : undefined,
  );
}
