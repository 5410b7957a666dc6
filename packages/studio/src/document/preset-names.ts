import { type Preset, kindOf } from "@galley/engine";
import { firstWords } from "../api/words.ts";
import { madeOnce } from "./made-once.ts";
import type { ShownStep } from "./shown-steps.ts";

/** What a thing without a text is called, by its kind. */
export type KindNames = Readonly<Record<ShownStep["kind"], string>>;

/**
 * What people call a message of a preset: its name; without one, how its text begins, or what kind of thing it is. A place that
 * others are tied to is known by its id.
 */
export function callName(
  { id, name, content, kind }: Pick<ShownStep, "id" | "name" | "content" | "kind">,
  kinds: KindNames,
): string {
  return name || firstWords(content) || (kind === "placeholder" ? id : kinds[kind]);
}

const messagesOf = ({ messageTemplates = [], presetMessages = [] }: Preset) => [...messageTemplates, ...presetMessages];

/** The names that people gave to the messages of a preset, by id. Made once for each document. */
export const presetNames = madeOnce(
  (preset: Preset): ReadonlyMap<string, string> =>
    new Map(messagesOf(preset).flatMap(({ id, name }) => (id && name ? [[id, name] as const] : []))),
);

/** What every message of a preset is called, by id: for a list or a sentence that does not show its text. */
export function presetCallNames(preset: Preset, kinds: KindNames): ReadonlyMap<string, string> {
  return callNames(kinds)(preset);
}

const callNames = madeOnce((kinds: KindNames) =>
  madeOnce(
    (preset: Preset): ReadonlyMap<string, string> =>
      new Map(
        messagesOf(preset).map((message, index) => {
          const { id = `message-${index + 1}`, name, content = "" } = message;
          return [id, callName({ id, name, content, kind: kindOf(message) }, kinds)];
        }),
      ),
  ),
);
