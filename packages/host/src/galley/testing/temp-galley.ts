import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../api/run-event.ts";
import { afterEachFile } from "../../../testing/after-each-file.ts";
import type { Galley, OpenGalleyOptions } from "../galley.ts";
import type { GalleyRun } from "../../turn/services/turn-types.ts";
import type { LlmAnswer, LlmRequest, LlmTrouble } from "../../models/testing/llm-protocols.ts";
import { type LlmServer, startLlmServer } from "../../models/testing/llm-server.ts";
import { openGalley } from "../open-galley.ts";

const root = mkdtempSync(join(tmpdir(), "galley-turn-"));
const open: { close(): Promise<void> }[] = [];
afterEachFile(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;

/** A data folder of its own for a test. */
export function dataFolder(): string {
  return join(root, `data-${(count += 1)}`);
}

/** A data folder that is opened with nothing but the demo model, unless a test says more. */
export async function galleyIn(data = dataFolder(), options: OpenGalleyOptions = {}): Promise<Galley> {
  const galley = await openGalley({ data, config: false, environment: {}, ...options });
  open.push(galley);
  return galley;
}

/** The key that the providers of `galleyWith` are called with. */
export const apiKey = "sk-sesame-0123456789";

/** The models of `galleyWith`, one for each protocol. */
export const protocolModels = {
  "openai-chat": "local/tiny-1",
  "openai-responses": "openai/gpt-5",
  anthropic: "anthropic/claude-sonnet-4-5",
  gemini: "google/gemini-2.5-pro",
} as const;

/** Galley in front of a server that speaks the providers' protocols, with a function for a model. */
export async function galleyWith(
  model: (request: LlmRequest) => LlmAnswer | LlmTrouble | Promise<LlmAnswer | LlmTrouble>,
  options: OpenGalleyOptions & { readonly window?: number } = {},
): Promise<{ readonly galley: Galley; readonly server: LlmServer; readonly data: string }> {
  const { window = 8000, data = dataFolder(), ...rest } = options;
  const server = await startLlmServer(model);
  open.push(server);
  const base = `${server.url}/v1`;
  const config = {
    models: {
      default: "local/tiny-1",
      providers: [
        {
          name: "local",
          type: "openai-compatible" as const,
          baseUrl: base,
          apiKey,
          models: [{ id: "tiny-1", window, output: 500 }],
        },
        { name: "openai", type: "openai" as const, baseUrl: base, apiKey },
        { name: "anthropic", type: "anthropic" as const, baseUrl: base, apiKey },
        { name: "google", type: "google" as const, baseUrl: `${server.url}/v1beta`, apiKey },
      ],
    },
  };
  return { galley: await galleyIn(data, { config, ...rest }), server, data };
}

/** All events of a run, to its end. */
export async function eventsOf(run: GalleyRun): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** What a chat says: its active context, or its transcript. */
export async function textsOf(
  galley: Galley,
  key: string,
  what: "window" | "transcript" = "window",
): Promise<unknown[]> {
  const chat = await galley.chats.open(key);
  return chat[what]({ maxMessages: 10_000 }).messages.map(({ content }) => content);
}

/** Every file below a folder as one text, for what must be nowhere in it. */
export function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

/** Saves a profile that tasks can be given to. */
export async function addProfile({ store, project }: Galley, name: string, text: string): Promise<void> {
  const card = {
    id: `card-${name}`,
    type: "profile.system",
    content: { kind: "text" as const, text },
    metadata: { role: "system" },
    authorId: "person",
    createdAt: 1,
  };
  const box = { id: `box-${name}`, items: [{ cardId: card.id, origin: "packed" as const }] };
  await store.cards.pack({ projectId: project, cards: [card], boxes: [box], now: 1 });
  await store.cards.saveProfile(project, { name, boxId: box.id });
}
