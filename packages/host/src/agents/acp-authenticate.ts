import { type ClientContext, type InitializeResponse, RequestError, methods } from "@agentclientprotocol/sdk/unstable";
import { GalleyError } from "@galley/engine";

/** ACP's code for "authenticate first". */
const authRequired = -32_000;

/** Ways to authenticate that need nobody at the keyboard, and the variable that makes each possible. */
const keyMethods: readonly { readonly variable: string; readonly methodId: string }[] = [
  { variable: "GEMINI_API_KEY", methodId: "gemini-api-key" },
  { variable: "OPENAI_API_KEY", methodId: "openai" },
];

/** Runs a request; if the agent wants to be authenticated first and a key is at hand, does that and runs it again. */
export async function authenticated<Answer>(
  agent: ClientContext,
  { authMethods = [] }: InitializeResponse,
  env: Readonly<Record<string, string>>,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof RequestError) || cause.code !== authRequired) throw cause;
    const offered = authMethods?.map(({ id }) => id) ?? [];
    const method = keyMethods.find(({ variable, methodId }) => env[variable] && offered.includes(methodId));
    if (!method) {
      throw new GalleyError("AgentFailed", "The agent wants to be logged in first.", {
        hint: `Log in with its own command, or give it a key in \`env\`. It offers: ${offered.join(", ") || "nothing"}.`,
        cause,
      });
    }
    await agent.request(methods.agent.authenticate, { methodId: method.methodId });
    return run();
  }
}
