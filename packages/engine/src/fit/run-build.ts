import { finish } from "./build.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { extendBuild } from "./extend-build.ts";
import { planPrepared } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { type Summarised, summarise } from "./summarise.ts";
import type { Build } from "./types.ts";
import type { BuildRequest } from "./window/build-request.ts";
import { recallWindow } from "./window/window-memory.ts";

/** A build, and what came of asking a compactor for a summary. */
export interface RunBuild {
  readonly build: Build;
  readonly tried?: Summarised;
}

/** Builds, with a summary where one is needed and wanted. At once, unless a compactor has to be asked. */
export function runBuild(request: BuildRequest, compactor: Compactor | undefined): RunBuild | Promise<RunBuild> {
  const window = recallWindow(request);
  const again = window && extendBuild(request, window);
  if (again) return { build: again };
  const prepared = prepare(request, window);
  const plan = planPrepared(prepared);
  if (!compactor || !plan.compact) return { build: finish(prepared, plan) };
  return summarise(prepared, plan, compactor).then((tried) => ({
    build: tried.build ?? finish(prepared, plan),
    tried,
  }));
}
