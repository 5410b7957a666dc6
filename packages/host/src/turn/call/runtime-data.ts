import { arch, release, type as systemName } from "node:os";
import { GalleyError, type JsonObject, type Problem, type SessionEntry, view } from "@galley/engine";
import type { ResolvedContextSettings } from "../../config/settings-in-force.ts";
import { exists } from "../../disk/data-files.ts";
import { withTimeout } from "../../limits/with-timeout.ts";
import { messageOf } from "../../disk/storage-error.ts";
import type { Services } from "../services/services.ts";

/** What a turn is told of its surroundings [T5]. */
export interface RuntimeData {
  /** Recorded once for each session or working context; nothing when it is off. */
  readonly init?: JsonObject;
  /** What holds just now: the same for all calls of a turn. */
  readonly hints: JsonObject;
  readonly problems: readonly Problem[];
}

type RuntimeServices = Pick<Services, "config" | "environment" | "limits">;

/** `now` is the time of the turn, as the build is told. */
export async function runtimeData(
  services: RuntimeServices,
  { runtimeData: asked, hints }: Pick<ResolvedContextSettings, "runtimeData" | "hints">,
  now: string,
): Promise<RuntimeData> {
  const [today = ""] = now.split("T");
  const { given, problems } = await askProvider(services);
  if (asked === "off") return { hints: { ...given, ...hints }, problems };
  if (asked !== "environment") return { init: asked, hints: { ...given, ...hints }, problems };
  // What is recorded once would be wrong tomorrow: today's date is a hint.
  return { init: surroundings(today, services), hints: { today, ...given, ...hints }, problems };
}

const folderKey = "workingFolder";

function surroundings(today: string, { environment }: RuntimeServices): JsonObject {
  return {
    [folderKey]: process.cwd(),
    system: `${systemName()} ${release()} ${arch()}`,
    sandbox: isInContainer(environment) ? "a container" : "none that is known",
    sessionBegan: today,
  };
}

function isInContainer(environment: Services["environment"]): boolean {
  return environment["container"] !== undefined || ["/.dockerenv", "/run/.containerenv"].some((file) => exists(file));
}

/** What a function of the configuration gives. Where it fails, the turn goes on and says so. */
async function askProvider({
  config,
  limits: { hintsMs },
}: RuntimeServices): Promise<{ readonly given: JsonObject; readonly problems: readonly Problem[] }> {
  const provider = config?.runtimeHintProvider;
  if (!provider) return { given: {}, problems: [] };
  try {
    const error = (): GalleyError => new GalleyError("ProviderFailed", `it took longer than ${hintsMs} ms`);
    const given: unknown = await withTimeout(async () => provider(), { milliseconds: hintsMs, error });
    if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("it gave no object");
    return { given: given as JsonObject, problems: [] };
  } catch (error) {
    const message = `runtimeHintProvider gave nothing: ${messageOf(error)}`;
    return {
      given: {},
      problems: [{ severity: "warning", code: "ProviderFailed", message, path: "runtimeHintProvider" }],
    };
  }
}

/** What a build gets of it, seen from the log: what is recorded is not recorded again. */
export function runtimeInput(
  { init, hints }: Pick<RuntimeData, "init" | "hints">,
  entries: readonly SessionEntry[],
): { readonly runtimeInitData?: JsonObject; readonly runtimeHints: JsonObject } {
  if (!init) return { runtimeHints: hints };
  const recorded = recordedInit(entries);
  if (!recorded) return { runtimeInitData: init, runtimeHints: hints };
  const [before, present] = [recorded[folderKey], init[folderKey]];
  // A context that was loaded may have begun elsewhere.
  const hasMoved = before !== undefined && present !== undefined && before !== present;
  return { runtimeHints: hasMoved ? { [folderKey]: present, ...hints } : hints };
}

function recordedInit(entries: readonly SessionEntry[]): JsonObject | undefined {
  const mayHaveOne = entries.some(({ type }) => type === "runtime-init" || type === "compaction");
  return mayHaveOne ? view(entries).runtimeInit : undefined;
}
