import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { protocolModels } from "../src/galley/testing/temp-galley.ts";
import { type Asked, type ScriptedServer, startScriptedServer } from "../src/models/testing/scripted-server.ts";
import type { GalleyConfig } from "../src/config/load-config.ts";

export type ProtocolName = keyof typeof protocolModels;

/** The protocols that models are reached by. */
export const protocolNames = Object.keys(protocolModels) as readonly ProtocolName[];

export interface LyingModel extends ScriptedServer {
  /** A configuration that knows it by every protocol; the default is the one of OpenAI-compatible servers. */
  readonly config: GalleyConfig;
}

/** A server that speaks the protocols of all providers, and then does what it is told; it ends with the test. */
export async function lyingModel(answer: (asked: Asked) => void | Promise<void>): Promise<LyingModel> {
  const server = await startScriptedServer(answer);
  onTestFinished(() => server.close());
  return { ...server, config: configFor(server.url) };
}

function configFor(url: string): GalleyConfig {
  const models = [{ id: "tiny-1", window: 32_000, output: 500 }];
  const [apiKey, baseUrl] = ["sk-liars-0123456789", `${url}/v1`];
  return {
    models: {
      default: protocolModels["openai-chat"],
      providers: [
        { name: "local", type: "openai-compatible", baseUrl, apiKey, models },
        { name: "openai", type: "openai", baseUrl, apiKey },
        { name: "anthropic", type: "anthropic", baseUrl, apiKey },
        { name: "google", type: "google", baseUrl: `${url}/v1beta`, apiKey },
      ],
    },
  };
}

/**
 * What the system holds between the two ends of a connection at most, in MiB: sent by the one and never read by the
 * other. It grows with the load (tcp_rmem and tcp_wmem), so that what was sent says no more than this about what was read.
 */
export const heldBySockets = 64;

/** Writes pieces as fast as they are taken, until the other side hangs up or `max` bytes are out. */
export async function pour({ begin, response }: Asked, next: () => string | Buffer, max: number): Promise<void> {
  begin();
  for (let bytes = 0; bytes < max && !response.destroyed;) {
    const piece = next();
    bytes += piece.length;
    if (!response.write(piece)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.once("drain", go).once("close", go);
  });
}
