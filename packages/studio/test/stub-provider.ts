import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Asked, startScriptedServer } from "../../host/src/models/testing/scripted-server.ts";

export interface StubProvider {
  /** The id by which the daemon knows its one model. */
  readonly model: string;
  /** For `galley up --config`. */
  readonly configFolder: string;
  /** The requests as they came, byte for byte. */
  readonly bodies: readonly string[];
  /** Says something to the last caller that still listens; waits for a caller. */
  readonly say: (text: string) => Promise<void>;
  /** Ends the reply. */
  readonly end: () => Promise<void>;
  /** How many wait for the rest of a reply. */
  readonly listeners: () => number;
  readonly stop: () => Promise<void>;
}

/** A server of the protocol that most programs for local models speak. It says what a test tells it to say, when told. */
export async function startStubProvider(): Promise<StubProvider> {
  const open = new Set<Asked>();
  const server = await startScriptedServer((asked) => {
    asked.begin().write(asked.frames({ text: "" })[0]);
    open.add(asked);
    asked.response.once("close", () => open.delete(asked));
  });
  const configFolder = await mkdtemp(join(tmpdir(), "galley-stub-"));
  const provider = { name: "stub", type: "openai-compatible", baseUrl: `${server.url}/v1`, models: ["m"] };
  // A reply that a test leaves open would otherwise keep its daemon from ending for ten seconds.
  const config = { models: { providers: [provider] }, limits: { stopGraceMs: 200 } };
  await writeFile(join(configFolder, "galley.config.json"), JSON.stringify(config));
  const listener = async (): Promise<Asked> => {
    for (;;) {
      const [last] = [...open].slice(-1);
      if (last) return last;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    model: "stub/m",
    configFolder,
    bodies: server.bodies,
    say: async (text) => {
      const { response, frames } = await listener();
      response.write(frames({ text })[1]);
    },
    end: async () => {
      const { response, frames } = await listener();
      response.end(frames({ text: "", inputTokens: 40 }).slice(2).join(""));
    },
    listeners: () => open.size,
    stop: async () => {
      await server.close();
      await rm(configFolder, { recursive: true, force: true });
    },
  };
}
