import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { GalleyConfig } from "../../config/load-config.ts";

/** A model that says its first word at once, and the others when it is told to. */
export interface SlowModel {
  /** A configuration whose default model it is. */
  readonly config: GalleyConfig;
  /** How many requests it has had. */
  readonly requests: () => number;
  /** Lets it finish: those that wait, and all that come. */
  release(): void;
}

/** A real server that speaks the chat-completions protocol; it is closed when the test ends. */
export async function slowModel(): Promise<SlowModel> {
  const waiting = new Set<ServerResponse>();
  let isReleased = false;
  let requests = 0;
  const server = createServer((incoming, response) => {
    requests += 1;
    incoming.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "First " }));
    if (isReleased) end(response);
    else waiting.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    config: { models: { default: "slow/tiny", providers: [{ name: "slow", baseUrl, models: ["tiny"] }] } },
    requests: () => requests,
    release() {
      isReleased = true;
      for (const response of waiting) end(response);
      waiting.clear();
    },
  };
}

function end(response: ServerResponse): void {
  response.write(chunk({ content: "and last." }));
  response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "tiny", choices })}\n\n`;
}
