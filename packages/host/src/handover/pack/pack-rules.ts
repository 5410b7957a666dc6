import type { JsonObject, JsonValue } from "@galley/engine";
import type { CardContent } from "../../store/ports/card-store.ts";
import { type HandoverConfig, handoverSchema, packRuleSchema } from "../options/handover-config.ts";
import { badRequest, dotted, parseRequest } from "../options/request-errors.ts";
import { parseResultFields } from "../cards/result-fields.ts";

/** A box that is to be inherited, and the argument that names it. */
export interface NamedBox {
  readonly boxId: string;
  readonly path: string;
}

interface ArgumentCard {
  readonly type: string;
  readonly metadata: JsonObject;
  readonly content: CardContent;
}

/** What a handover configuration asks for, once the arguments are known. Nothing has been looked up yet. */
export interface PackRules {
  readonly profile: { readonly name: string; readonly path: string };
  readonly cards: readonly ArgumentCard[];
  readonly boxes: readonly NamedBox[];
  readonly includeParent: boolean;
}

/** Applies the configuration to the arguments. Everything that needs no store to be wrong is found here [H2]. */
export function packRules(args: JsonObject, handover: HandoverConfig): PackRules {
  const { target_profile_config: target, context_packing_config: packing } = parseRequest(
    handoverSchema,
    handover,
    "handover",
  );
  const rules = packing.pack_arguments.flatMap((rule, index) => {
    if (typeof rule !== "object" || rule === null || Array.isArray(rule)) return [];
    return [parseRequest(packRuleSchema, rule, dotted("handover.context_packing_config.pack_arguments", index))];
  });
  return {
    profile: profileName(args, target.profile_name),
    cards: rules.flatMap(({ arg_key: key, as_card_type: type, card_metadata: metadata }) => {
      const value = valueOf(args, key);
      if (value === undefined) return [];
      const content = contentOf(type, value, dotted("args", key));
      return [{ type, metadata: metadata as JsonObject, content }];
    }),
    boxes: packing.inherit_context.include_boxes_from_args.flatMap((key) =>
      namedBoxes(valueOf(args, key), dotted("args", key)),
    ),
    includeParent: packing.inherit_context.include_parent,
  };
}

function valueOf(args: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(args, key) ? args[key] : undefined;
}

/** The argument's profile before the configuration's. */
function profileName(args: JsonObject, configured: string | undefined): PackRules["profile"] {
  const given = valueOf(args, "profile_name");
  if (given === undefined || given === null) {
    if (configured !== undefined) {
      return { name: configured, path: "handover.target_profile_config.profile_name" };
    }
    throw badRequest(
      "args.profile_name",
      "No profile is named, neither by the arguments nor by the handover configuration.",
      "Name the profile of the agent that is to do the work.",
    );
  }
  if (typeof given === "string" && given.trim() !== "") return { name: given, path: "args.profile_name" };
  throw badRequest(
    "args.profile_name",
    `args.profile_name must be the name of a profile, not ${JSON.stringify(given)}.`,
  );
}

function contentOf(type: string, value: JsonValue, path: string): CardContent {
  if (type === "task.result_fields") return { kind: "fields", fields: parseResultFields(value, path) };
  if (typeof value === "object" && value !== null) return { kind: "json", value };
  return { kind: "text", text: String(value) };
}

function namedBoxes(value: JsonValue | undefined, path: string): NamedBox[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [{ boxId: boxIdOf(value, path), path }];
  return value.map((item: JsonValue, index) => {
    const itemPath = dotted(path, index);
    return { boxId: boxIdOf(item, itemPath), path: itemPath };
  });
}

function boxIdOf(value: JsonValue, path: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw badRequest(path, `${path} must be the id of a box or a list of such ids, not ${JSON.stringify(value)}.`);
}
