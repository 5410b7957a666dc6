import { ownersName } from "../inject/owners-name.ts";
import { callTool } from "./host-tool.ts";
import type { HostTool, ToolCaller } from "./host-tool.ts";
import type { ToolSession } from "./tool-host.ts";

export interface OwnerSessionOptions {
  readonly token: string;
  readonly tools: readonly HostTool[];
  readonly methods: NonNullable<ToolSession["methods"]>;
}

/** Those that were made here: a name can be given to an agent too, and would make it somebody who may use everything. */
const owners = new WeakSet<ToolCaller>();

/** Whether it is the person with the daemon's own token who calls. */
export function isOwner(caller: ToolCaller): boolean {
  return owners.has(caller);
}

/** What the daemon's own token opens: the tools, for a chat and a canvas of their own, and every method of the API. */
export function ownerSession({ token, tools, methods }: OwnerSessionOptions): ToolSession {
  const caller = { agent: ownersName, session: "owner" };
  owners.add(caller);
  const now = Date.now();
  return {
    caller,
    token: { token, agentName: ownersName, sessionId: caller.session, createdAt: now, expiresAt: now + hour },
    // Skills belong to the agents of a configuration.
    tools: tools.filter(({ name }) => name !== "galley_skill_read"),
    methods,
    call: (tool, input, options) => callTool(tool, input, caller, options),
  };
}

/** For clients that want to know; the token is good for as long as the daemon runs. */
const hour = 60 * 60 * 1000;
