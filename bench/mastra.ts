import type { ModelMessage } from "@galley/engine";
import { type ProviderMessage, loadMastra } from "./peer-modules.ts";

export interface MastraLimiter {
  convert(message: ModelMessage): ProviderMessage;
  /** Gives what is left, without the system prompt; nothing where the limiter refuses the whole. */
  limit(messages: readonly ProviderMessage[]): Promise<ModelMessage[]>;
}

export interface MastraOptions {
  readonly systemPrompt: string;
  readonly budget: number;
  /** In the place of its own estimate, which it has for every family of models. */
  readonly count?: (text: string) => number;
}

/** The step of Mastra's TokenLimiter right before the model is called, in its default mode (best fit). */
export async function mastraLimiter({ systemPrompt, budget, count }: MastraOptions): Promise<MastraLimiter> {
  const { TokenLimiterProcessor } = await loadMastra();
  const limiter = new TokenLimiterProcessor({ limit: budget });
  if (count) limiter.countTokens = count;
  const system: ProviderMessage = { role: "system", content: systemPrompt };
  const sources = new WeakMap<ProviderMessage, ModelMessage>();
  return {
    convert(message) {
      const { role, content } = message;
      const converted = { role, content: typeof content === "string" ? [{ type: "text", text: content }] : content };
      sources.set(converted, message);
      return converted;
    },
    async limit(messages) {
      const prompt = [system, ...messages];
      const left = await limiter.processLLMRequest({ prompt }).catch((error: unknown) => {
        // It says so where not even one group fits.
        if (error instanceof Error && error.message.startsWith("TokenLimiterProcessor:")) return { prompt: [] };
        throw error;
      });
      return (left?.prompt ?? prompt).flatMap((message) => sources.get(message) ?? []);
    },
  };
}
