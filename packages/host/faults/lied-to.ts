import { expect, vi } from "vitest";
import { dataFolder, galleyIn, protocolModels } from "../src/galley/testing/temp-galley.ts";
import type { Galley, OpenGalleyOptions } from "../src/galley/galley.ts";
import { defineTool } from "../src/tools/define-tool.ts";
import type { RunLimits } from "../src/turn/services/turn-types.ts";
import { judgeRequest } from "../src/models/testing/judge-server.ts";
import type { Asked } from "../src/models/testing/scripted-server.ts";
import { type LyingModel, type ProtocolName, lyingModel } from "./lying-model.ts";

/** What became of a message: the reply, or the error that its sender saw. */
export type Outcome =
  | { readonly finish: string; readonly text: string; readonly usage: object }
  | { readonly code: string; readonly path?: string; readonly hint?: string; readonly retryable?: boolean };

/** Galley in front of a model that lies. */
export interface LiedTo {
  readonly galley: Galley;
  readonly data: string;
  readonly model: LyingModel;
  /** What the tool `note` was called with. */
  readonly noted: { readonly input: unknown; readonly callId: string }[];
  readonly ask: (protocol: ProtocolName, chat: string, input: string, limits?: RunLimits) => Promise<Outcome>;
  /**
   * From now on the model is honest: what is said next in the chat gets its answer, and nothing that was ever sent would be
   * refused by the provider, call and result parted included.
   */
  readonly checkRest: (protocol: ProtocolName, chat: string) => Promise<void>;
}

export async function liedTo(
  lie: (asked: Asked) => void | Promise<void>,
  options: OpenGalleyOptions = {},
): Promise<LiedTo> {
  let isHonest = false;
  const model = await lyingModel((asked) => (isHonest ? asked.say({ text: "Honestly." }) : lie(asked)));
  const noted: { input: unknown; callId: string }[] = [];
  const note = defineTool({
    name: "note",
    description: "Notes something.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    isRepeatable: true,
    execute: (input, { callId }) => {
      noted.push({ input, callId });
      return "noted";
    },
  });
  const data = dataFolder();
  const galley = await galleyIn(data, { config: model.config, tools: [note], ...options });
  const ask: LiedTo["ask"] = (protocol, chat, input, limits = {}) =>
    galley
      .run({ chat, input, model: protocolModels[protocol], limits: { maxMilliseconds: 120_000, ...limits } })
      .result.then(
        ({ finish, text, usage }) => ({ finish, text, usage }),
        (error: Outcome & { readonly code: string }) => error,
      );
  return {
    galley,
    data,
    model,
    noted,
    ask,
    async checkRest(protocol, chat) {
      const before = model.bodies.length;
      isHonest = true;
      const answer = await ask(protocol, chat, "And now?");
      isHonest = false;
      expect(answer).toMatchObject({ finish: "stop", text: "Honestly." });
      expect(model.bodies.length).toBe(before + 1);
      const refused = model.bodies.splice(0).flatMap((body) => judgeRequest(protocol, JSON.parse(body)));
      expect(refused).toEqual([]);
    },
  };
}

/** An error that says what happened, where, and what to do. */
export const modelFailed = {
  code: "ModelFailed",
  path: "model",
  hint: expect.stringMatching(/\w{3}/u) as string,
};

/** Waits for what another process does; a loaded machine has time. */
export async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 60_000, interval: 10 });
}
