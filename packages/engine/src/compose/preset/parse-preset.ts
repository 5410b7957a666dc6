import { type Problem, throwOnErrors } from "../../model/check/errors.ts";
import { parseJson } from "../../model/parse-json.ts";
import { checkPreset } from "./check-preset.ts";
import { knownPresets } from "./preset-schema.ts";
import type { Preset } from "./preset.ts";

/** A preset that can be used, with its warnings. */
export interface ParsedPreset {
  readonly preset: Preset;
  /** What is odd but does no harm, such as unknown fields. */
  readonly warnings: readonly Problem[];
}

/**
 * Takes a preset from outside, as JSON text or as a value; throws with every problem when it cannot be used.
 *
 * @example
 * const { preset, warnings } = parsePreset('{"presetMessages": [], "colour": "red"}');
 * preset.presetMessages; // → []
 * warnings[0].path; // → "colour"
 */
export function parsePreset(source: unknown): ParsedPreset {
  const value = typeof source === "string" ? parseJson(source, { what: "preset" }) : source;
  const problems = checkPreset(value);
  throwOnErrors(problems);
  knownPresets.add(value as Preset);
  return { preset: value as Preset, warnings: problems };
}
