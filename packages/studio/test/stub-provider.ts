import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";

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

const event = (delta: object, finish: string | null, usage?: object): string =>
  `data: ${JSON.stringify({ id: "r", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], usage })}\n\n`;

/** A server of the protocol that most programs for local models speak. It says what a test tells it to say, when told. */
export async function startStubProvider(): Promise<StubProvider> {
  const bodies: string[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ role: "assistant", content: "" }, null));
      open.add(response);
      response.once("close", () => open.delete(response));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const configFolder = await mkdtemp(join(tmpdir(), "galley-stub-"));
  const provider = { name: "stub", type: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1`, models: ["m"] };
  await writeFile(join(configFolder, "galley.config.json"), JSON.stringify({ models: { providers: [provider] } }));
  const listener = async (): Promise<ServerResponse> => {
    for (;;) {
      const [last] = [...open].slice(-1);
      if (last) return last;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    model: "stub/m",
    configFolder,
    bodies,
    say: async (text) => void (await listener()).write(event({ content: text }, null)),
    end: async () => {
      const usage = { prompt_tokens: 40, completion_tokens: 4, total_tokens: 44 };
      (await listener()).end(`${event({}, "stop", usage)}data: [DONE]\n\n`);
    },
    listeners: () => open.size,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(configFolder, { recursive: true, force: true });
    },
  };
}
