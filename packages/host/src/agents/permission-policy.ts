import type { RequestPermissionRequest, RequestPermissionResponse, ToolKind } from "@agentclientprotocol/sdk/unstable";

/** What an agent wants to do, as far as it says so. */
export interface PermissionRequest {
  readonly agentName: string;
  /** Every name under which the agent speaks of the tool, without the prefixes of its own. */
  readonly toolNames: readonly string[];
  readonly title: string;
  /** The title is what the model wrote about the call, and says nothing of what the call does. */
  readonly isTitleWritten?: boolean;
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
  /** The input has held the title. */
  readonly isTitleWritten?: boolean;
  readonly [field: string]: unknown;
}

/** Whether the policy lets it pass; what the policy leaves open, a person decides. */
export async function isPermitted(
  request: PermissionRequest,
  { allow, own = [], otherwise }: PermissionPolicy,
  ask: AskPermission | undefined,
): Promise<boolean> {
  if (request.toolNames.some((name) => own.includes(name))) return true;
  const names = [...request.toolNames, ...(request.isTitleWritten ? [] : [request.title])];
  // A tool that is called like a kind is not of that kind.
  if (names.some((name) => allow.includes(name) && !kinds.has(name))) return true;
  if (request.kind !== undefined && allow.includes(request.kind)) return true;
  return otherwise === "ask" && ask !== undefined && (await ask(request));
}

const kinds: ReadonlySet<string> = new Set<ToolKind>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);

/** Reads what is asked for; `facts` are what was said of the same call before. */
export function readPermissionRequest(
  agentName: string,
  serverName: string,
  { toolCall }: RequestPermissionRequest,
  facts: ToolCallFacts = {},
): PermissionRequest {
  const asked = withoutEmpty(toolCall);
  const known: ToolCallFacts = { ...facts, ...asked };
  // A request may put its own words in the place of what was said of the call.
  const named = [...new Set([...namesOf(known, serverName), ...namesOf(facts, serverName)])];
  const isTitleWritten = [facts, known, { ...known, rawInput: facts.rawInput }].some(hasTitleInInput);
  // What was said first: a request may show the title that a server has given its tool.
  const title = facts.title ?? known.title ?? "";
  const isNamedByTitle = named.length === 0 && !isTitleWritten && (known.kind ?? "other") === "other";
  return {
    agentName,
    toolNames: withoutServer(isNamedByTitle && title !== "" ? [title] : named, serverName),
    title: known.title ?? "",
    isTitleWritten,
    kind: known.kind ?? undefined,
    input: known.rawInput,
  };
}

/** Whether the title stands in the input: then the model has written it, as the description of a command for instance. */
export function hasTitleInInput({ title, rawInput, isTitleWritten = false }: ToolCallFacts): boolean {
  if (isTitleWritten || typeof title !== "string" || title === "") return isTitleWritten;
  // The command itself says what is done.
  const { command: _, ...rest } = objectOf(rawInput);
  return hasText(rest, title.trim());
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.trim() === text;
  return typeof value === "object" && value !== null && Object.values(value).some((part) => hasText(part, text));
}

/** Says yes or no with one of the options that were offered, never for longer than this once: the policy stays in force. */
export function permissionAnswer({ options }: RequestPermissionRequest, isAllowed: boolean): RequestPermissionResponse {
  const wanted = isAllowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const option = options.find(({ kind }) => wanted.includes(kind));
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
}

/** The names that an agent gives the tool beside the title. */
function namesOf(facts: ToolCallFacts, serverName: string): readonly string[] {
  const meta = objectOf(facts["_meta"]);
  const inner = Object.values(meta).map((value) => objectOf(value)["toolName"]);
  const { server, tool, arguments: _, ...others } = objectOf(facts.rawInput);
  // A wrapper of the agent, which its title repeats; an input that a model wrote may have such fields too.
  const titles = [`mcp.${serverName}.${String(tool)}`, `Tool: ${serverName}/${String(tool)}`];
  const isWrapped = server === serverName && Object.keys(others).length === 0 && titles.includes(facts.title ?? "");
  return [facts["name"], meta["toolName"], ...inner, ...(isWrapped ? [tool] : [])].filter(isText);
}

/**
 * Agents write the name of an MCP tool in ways of their own, with the server's name in front or behind. Only whole names count:
 * a title may hold text that a model wrote.
 */
function withoutServer(found: readonly string[], serverName: string): readonly string[] {
  const prefixes = [
    `mcp__${serverName}__`,
    `mcp_${serverName}_`,
    `mcp.${serverName}.`,
    `${serverName}_`,
    `${serverName}-`,
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
