import { onTestFinished } from "vitest";
import type { GalleyConfig } from "../../config/load-config.ts";
import { type Asked, startScriptedServer } from "./scripted-server.ts";

/** A model that says its first word at once, and the others when it is told to. */
export interface SlowModel {
  /** A configuration whose default model it is. */
  readonly config: GalleyConfig;
  /** How many requests it has had. */
  readonly requests: () => number;
  /** Lets it finish: those that wait, and all that come. */
  release(): void;
}

/** It is closed when the test ends. */
export async function slowModel(): Promise<SlowModel> {
  const waiting = new Set<Asked>();
  let isReleased = false;
  const server = await startScriptedServer((asked) => {
    asked.begin().write(asked.frames({ text: "First " }).slice(0, 2).join(""));
    if (isReleased) end(asked);
    else waiting.add(asked);
  });
  onTestFinished(() => server.close());
  const provider = { name: "slow", baseUrl: `${server.url}/v1`, models: ["tiny"] };
  return {
    config: { models: { default: "slow/tiny", providers: [provider] } },
    requests: () => server.bodies.length,
    release() {
      isReleased = true;
      for (const asked of waiting) end(asked);
      waiting.clear();
    },
  };
}

function end({ response, frames }: Asked): void {
  response.end(frames({ text: "and last." }).slice(1).join(""));
}
