import { type Compactor, GalleyError, extractiveCompactor } from "@galley/engine";
import type { ResolvedContextSettings } from "../../config/settings-in-force.ts";
import { sliceEnd } from "../../limits/in-slices.ts";
import { llmCompactor } from "../../models/compactor/llm-compactor.ts";
import type { OwnCompactor } from "../../config/own-functions.ts";
import type { Services } from "../services/services.ts";
import { madeBeside } from "../../limits/bounded-map.ts";

type CompactorServices = Pick<Services, "models" | "config">;
type Compaction = ResolvedContextSettings["compaction"];

/** For those that have no data folder, such as a worker with a command of its own. */
export const plainCompactor: Compactor = extractiveCompactor({ pause: sliceEnd() });

const compactors = madeBeside<Compactor>(32);

/** What writes the summaries of a turn [T3]; the same object for the same setting, so that what it has built is known. */
export function resolveCompactor(services: CompactorServices, compaction: Compaction): Compactor | undefined {
  if (compaction === "off") return undefined;
  if (compaction === "extractive") return plainCompactor;
  const make = (): Compactor => ({ pause: sliceEnd(), ...makeCompactor(services, compaction) });
  return compactors(services.models, JSON.stringify(compaction), make);
}

function makeCompactor({ models, config }: CompactorServices, asked: Exclude<Compaction, string>): Compactor {
  if ("name" in asked) {
    const own = ownCompactor(config, asked.name);
    return { id: own.name, compact: (request) => own.compact(request) };
  }
  const { instructions } = asked;
  const { kind, model, info } = summaryModel(models, asked.model);
  // The built-in model only echoes; a summary of its making would be one of our own prompt.
  if (kind === "demo") return plainCompactor;
  return llmCompactor({ model, windowTokens: info.window, instructions });
}

/** Refuses a setting that names a compactor which is not there [T3]. */
export function checkCompactor(config: Services["config"], compaction: Compaction | null | undefined): void {
  if (typeof compaction === "object" && compaction && "name" in compaction) ownCompactor(config, compaction.name);
}

function ownCompactor(config: Services["config"], asked: string): OwnCompactor {
  const own = config?.compactors.find(({ name }) => name === asked);
  if (own) return own;
  const names = config?.compactors.map(({ name }) => name) ?? [];
  throw new GalleyError("NotFound", `There is no compactor ${JSON.stringify(asked)}.`, {
    path: "context.compaction.name",
    hint: names.length === 0 ? "galley.config.ts declares none." : `There are ${names.join(", ")}.`,
  });
}

function summaryModel(models: Services["models"], id: string): ReturnType<Services["models"]["resolve"]> {
  try {
    return models.resolve(id);
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    const { code, message, hint } = error;
    throw new GalleyError(code, message, { path: "context.compaction.model", hint, cause: error });
  }
}
