import type { LogFormat } from "@galley/engine/logs";

// The same figures as the readers give, counted in another way: over the raw records, without what the readers know of chains,
// branches and sessions. A figure that both come to is not an artefact of how one of them reads.

/** Messages, replies with usage, records that are kept as they are, and lines that are not JSON. */
export type RawCounts = readonly [messages: number, usage: number, custom: number, damaged: number];

/** A foreign record: the fields that are looked at, of all formats. */
interface Raw {
  readonly type?: string;
  readonly subtype?: string;
  readonly role?: string;
  readonly uuid?: string;
  readonly id?: string;
  readonly model?: string;
  readonly text?: string;
  readonly isApiErrorMessage?: boolean;
  readonly isCompactSummary?: boolean;
  readonly content?: string | readonly Raw[];
  readonly usage?: unknown;
  readonly tokens?: unknown;
  readonly outputTokens?: unknown;
  readonly total_token_usage?: unknown;
  readonly last_token_usage?: unknown;
  readonly message?: Raw;
  readonly data?: Raw;
  readonly attachment?: Raw;
  readonly payload?: Raw;
  readonly info?: Raw;
  readonly base_instructions?: Raw;
  readonly replacement_history?: readonly Raw[];
  readonly messages?: readonly Raw[];
  readonly parts?: readonly Raw[];
}

/** The records of a file; two on one line come apart where one ends and the next begins. */
function recordsOf(text: string): { readonly records: readonly Raw[]; readonly damaged: number } {
  if (/^\s*\{\s*\n/.test(text)) return { records: [JSON.parse(text) as Raw], damaged: 0 };
  const lines = text
    .split("\n")
    .flatMap((line) => line.replaceAll(/\}\{"(type|timestamp|messageId)":/g, '}\n{"$1":').split("\n"))
    .filter((line) => line.trim() !== "");
  let damaged = 0;
  const records = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Raw];
    } catch {
      damaged += 1;
      return [];
    }
  });
  return { records, damaged };
}

const blocksOf = (record: Raw): readonly Raw[] => {
  const { content = [] } = record.message ?? {};
  return typeof content === "string" ? [{ type: "text" }] : content;
};

function claudeCode(records: readonly Raw[]): readonly [number, number, number] {
  const inner = records.flatMap((r) =>
    r.data?.type === "agent_progress" && r.data.message?.type ? [r.data.message] : [],
  );
  const all = [...new Map([...records, ...inner].map((r, at) => [r.uuid ?? at, r])).values()];
  const isError = (r: Raw): boolean => r.isApiErrorMessage === true || r.message?.model === "<synthetic>";
  const replies = all.filter((r) => r.type === "assistant" && !isError(r));
  const counted = replies.filter((r) => r.message?.usage !== undefined);
  const said = all.filter(
    (r) => r.type === "user" && !r.isCompactSummary && blocksOf(r).some((b) => b.type !== "tool_result"),
  );
  const typedAhead = all.filter((r) => r.attachment?.type === "queued_command");
  const kept = all.filter(
    (r) =>
      (r.type === "system" && !r.subtype?.endsWith("compact_boundary")) ||
      (r.type === "attachment" && r.attachment?.type !== "queued_command") ||
      (r.type === "assistant" && isError(r)),
  );
  const idsOf = (list: readonly Raw[]): number => new Set(list.map((r) => r.message?.id)).size;
  return [idsOf(replies) + said.length + typedAhead.length, idsOf(counted), kept.length];
}

/** One letter for each record: a reply is a run of what a model says, up to the provider's count. */
function codex(records: readonly Raw[]): readonly [number, number, number] {
  let total = "";
  const letters = records.map(({ type, payload = {} }): string => {
    const kind = payload.type ?? "";
    if (type === "session_meta") return payload.base_instructions?.text === undefined ? "" : "U";
    if (type === "compacted")
      return payload.replacement_history?.some((item) => item.type === "compaction") ? "cK" : "c";
    if (type === "turn_context") return "";
    if (kind === "token_count") {
      const now = JSON.stringify(payload.info?.total_token_usage ?? null);
      const isNew = payload.info?.last_token_usage !== undefined && now !== total;
      if (isNew) total = now;
      return isNew ? "T" : "";
    }
    if (type === "event_msg")
      return /^(agent_|user_message|task_|context_|thread_name|.*_(begin|end|request|response)$)/.test(kind) ? "" : "K";
    if (kind.endsWith("_output")) return "R";
    if (kind === "message") return payload.role === "assistant" ? "A" : "U";
    return /^(reasoning|function_call|custom_tool_call|local_shell_call)$/.test(kind) ? "A" : "K";
  });
  const text = letters.join("");
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return [count(/U/g) + count(/A+T*/g), count(/A+T/g), count(/K/g)];
}

function pi(records: readonly Raw[]): readonly [number, number, number] {
  const roles = records.flatMap(({ type, message }) => (type === "message" && message ? [message] : []));
  const known = roles.filter(({ role }) => role !== "toolResult");
  const other = records.filter(
    (r) => !/^(session|message|compaction|thinking_level_change|model_change|label|session_info)$/.test(r.type ?? ""),
  );
  return [
    known.length,
    roles.filter(({ role, usage }) => role === "assistant" && usage !== undefined).length,
    other.length,
  ];
}

function opencode([document]: readonly Raw[]): readonly [number, number, number] {
  let [messages, usage] = [0, 0];
  for (const { info, parts = [] } of document?.messages ?? []) {
    const kinds = parts.map(({ type = "" }) =>
      type === "step-start" ? "|" : /^(text|reasoning|tool|subtask|file)$/.test(type) ? "x" : "",
    );
    const steps = info?.role === "user" ? (kinds.includes("x") ? 1 : 0) : (kinds.join("").match(/x+/g)?.length ?? 0);
    messages += steps;
    if (info?.role !== "user" && steps > 0) usage += 1;
  }
  return [messages, usage, 0];
}

function gemini([document]: readonly Raw[]): readonly [number, number, number] {
  const messages = document?.messages ?? [];
  const types = messages.map(({ type }) => type);
  const said = types.filter((type) => type === "user" || type === "gemini").length;
  return [said, messages.filter(({ tokens }) => tokens).length, types.length - said];
}

function copilot(records: readonly Raw[]): readonly [number, number, number] {
  const of = (pattern: RegExp): readonly Raw[] => records.filter(({ type = "" }) => pattern.test(type));
  const aside =
    /^(system\.message|user\.message|assistant\.|tool\.|hook\.|permission\.|session\.(start|model_change|permissions_changed|info|idle|resume))/;
  const usage = of(/^assistant\.message$/).filter(({ data }) => data?.outputTokens !== undefined).length;
  return [of(/^(system|user|assistant)\.message$/).length, usage, records.length - of(aside).length];
}

const counters = {
  "claude-code": claudeCode,
  codex,
  pi,
  opencode,
  "gemini-cli": gemini,
  "copilot-cli": copilot,
} as const;

/** The figures of a file that is not read as the readers do. */
export function rawCounts(format: Exclude<LogFormat, "galley">, text: string): RawCounts {
  const { records, damaged } = recordsOf(text);
  return [...counters[format](records), damaged];
}
