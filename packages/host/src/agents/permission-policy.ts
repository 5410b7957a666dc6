import type { RequestPermissionRequest, RequestPermissionResponse, ToolKind } from "@agentclientprotocol/sdk/unstable";

/** What an agent wants to do, as far as it says so. */
export interface PermissionRequest {
  readonly agentName: string;
  /** Every name under which the agent speaks of the tool, without the prefixes of its own. */
  readonly toolNames: readonly string[];
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly input: unknown;
}

/** Answers in the place of a person. */
export type AskPermission = (request: PermissionRequest) => boolean | Promise<boolean>;

/** What may pass (kinds, titles or names of tools, as whole words), and what happens to everything else. */
export interface PermissionPolicy {
  readonly allow: readonly string[];
  /** Names of our own tools, which pass always; a title counts only where the agent names the tool in no other way. */
  readonly own?: readonly string[];
  readonly otherwise: "deny" | "ask";
}

/** The parts of a tool call that an agent tells of in updates and that a request for permission may leave out. */
export interface ToolCallFacts {
  readonly title?: string | null;
  readonly kind?: ToolKind | null;
  readonly rawInput?: unknown;
  readonly [field: string]: unknown;
}

/** Whether the policy lets it pass; what the policy leaves open, a person decides. */
export async function isPermitted(
  request: PermissionRequest,
  { allow, own = [], otherwise }: PermissionPolicy,
  ask: AskPermission | undefined,
): Promise<boolean> {
  if (request.toolNames.some((name) => own.includes(name))) return true;
  const names = [...request.toolNames, request.title, request.kind];
  if (names.some((name) => name !== undefined && allow.includes(name))) return true;
  return otherwise === "ask" && ask !== undefined && (await ask(request));
}

/** Reads what is asked for; `facts` are what was said of the same call before. */
export function readPermissionRequest(
  agentName: string,
  serverName: string,
  { toolCall }: RequestPermissionRequest,
  facts: ToolCallFacts = {},
): PermissionRequest {
  const known: ToolCallFacts = { ...facts, ...withoutEmpty(toolCall) };
  return {
    agentName,
    // A request may put its own words in the place of what was said of the call.
    toolNames: [...new Set([...toolNamesOf(known, serverName), ...toolNamesOf(facts, serverName)])],
    title: known.title ?? "",
    kind: known.kind ?? undefined,
    input: known.rawInput,
  };
}

/** Says yes or no with one of the options that were offered, never for longer than this once: the policy stays in force. */
export function permissionAnswer({ options }: RequestPermissionRequest, isAllowed: boolean): RequestPermissionResponse {
  const wanted = isAllowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const option = options.find(({ kind }) => wanted.includes(kind));
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
}

/**
 * Agents write the name of an MCP tool in ways of their own, with the server's name in front or behind, in the name, the
 * title or the meta data. Only whole names count: a title may hold text that a model wrote.
 */
function toolNamesOf(facts: ToolCallFacts, serverName: string): readonly string[] {
  const meta = objectOf(facts["_meta"]);
  const inner = Object.values(meta).map((value) => objectOf(value)["toolName"]);
  const input = objectOf(facts.rawInput);
  const named = input["server"] === serverName ? [input["tool"]] : [];
  const said = [facts["name"], meta["toolName"], ...inner, ...named].filter(isText);
  // The title of a task or command is often what the model wrote: it must not pass for the name of a tool.
  const found = said.length > 0 ? said : [facts.title].filter(isText);
  const prefixes = [
    `mcp__${serverName}__`,
    `mcp_${serverName}_`,
    `mcp.${serverName}.`,
    `${serverName}_`,
    `${serverName}/`,
  ];
  const suffix = ` (${serverName} MCP Server)`;
  const whole = found.flatMap((name) => (name.endsWith(suffix) ? [name, name.slice(0, -suffix.length)] : [name]));
  const bare = whole.flatMap((name) => {
    const prefix = prefixes.find((candidate) => name.startsWith(candidate));
    return prefix === undefined ? [] : [name.slice(prefix.length)];
  });
  return [...new Set([...whole, ...bare])];
}

function withoutEmpty(value: object): ToolCallFacts {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== null));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
