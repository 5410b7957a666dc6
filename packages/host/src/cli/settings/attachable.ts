import { resolve } from "node:path";
import type { AttachableAgent } from "../../logs/read-piece.ts";
import { type Hook, addHooks, hookCommands, removeHooks, withoutHooks } from "./hook-entries.ts";
import { readJsonDocument } from "./json-entry.ts";
import { home } from "./mcp-clients.ts";
import { type OwnSettings, isSame } from "./plan-change.ts";
import { editBetween } from "./text-edit.ts";

/** An agent that runs hooks around a compaction, and where its settings name them [L7]. */
export interface Attachable {
  readonly title: string;
  readonly file: (env: NodeJS.ProcessEnv) => string;
  readonly events: readonly Pick<Hook, "event" | "matcher">[];
  /** What a person must know. */
  readonly note?: string;
}

/** In seconds. The command itself stops earlier. */
const timeout = 10;
const afterCompaction = { event: "SessionStart", matcher: "compact" };
const isOwn = (command: string): boolean => /\bgalley(?:\.js)?['"]? hook (?:claude-code|codex)\b/.test(command);

export const attachables: Readonly<Record<AttachableAgent, Attachable>> = {
  "claude-code": {
    title: "Claude Code",
    file: ({ CLAUDE_CONFIG_DIR: folder }) => resolve(folder || home(".claude"), "settings.json"),
    // Text before the compaction goes to the summariser; Codex does not read any there.
    events: [afterCompaction, { event: "PreCompact" }],
  },
  codex: {
    title: "Codex",
    file: ({ CODEX_HOME: folder }) => resolve(folder || home(".codex"), "hooks.json"),
    events: [afterCompaction],
    note:
      "Codex runs a hook only after you have trusted it: start codex, and confirm it under “Hooks need review”. " +
      "Until then it is skipped, and codex exec does not say so. Galley does not trust it for you.",
  },
};

const gemini = "Gemini CLI has no hook whose text reaches the model after a compaction.";
const copilot = "Copilot CLI has no hook whose text reaches the model after a compaction.";

/** Why other agents cannot be attached, by the names that their programs and their logs have. */
export const notAttachable: Readonly<Record<string, string>> = {
  gemini,
  "gemini-cli": gemini,
  opencode:
    "OpenCode runs plugins of its own instead of commands, and what one adds after a compaction goes into the system text.",
  qwen: "Qwen Code puts what a hook says after a compaction into its system text, where it breaks the cached prefix.",
  cursor: "Cursor has no hook whose text reaches the model after a compaction.",
  zed: "Zed has no hook whose text reaches the model after a compaction.",
  copilot,
  "copilot-cli": copilot,
};

/** Room (in MiB) for what a hook makes of a small piece: collecting garbage would cost a tenth of its time, on all cores. */
const nodeOptions = ["--min-semi-space-size=4"];

/** A Node and the file that it runs. */
type Program = readonly [node: string, launcher: string];

/** How the hook of an agent is started. */
export function hookCommand(agent: AttachableAgent, [node, launcher]: Program): readonly string[] {
  return [node, ...nodeOptions, launcher, "hook", agent];
}

/** The hooks as they stand in the settings. They succeed and say nothing where the command fails or is gone. */
export function hooksFor(agent: AttachableAgent, program: Program): readonly Hook[] {
  const words = hookCommand(agent, program).map((word) => (/^[\w./:-]+$/.test(word) ? word : quoted(word)));
  return attachables[agent].events.map((event) => ({
    ...event,
    command: `${words.join(" ")} 2>/dev/null || true`,
    timeout,
  }));
}

/** The hooks of an agent; `wanted` are those that should be there. */
export function ownHooks({ title }: Attachable, wanted: readonly Hook[]): OwnSettings {
  const ownIn = (text: string): string[] => hookCommands(readJsonDocument(text)).filter(isOwn);
  const lines = wanted.map(({ event, command }) => `${event} ${command}`).toSorted();
  const clear = (text: string): string => removeHooks(text, isOwn);
  return {
    title,
    format: "JSON",
    section: "hooks",
    byHand: "the hooks that run galley",
    by: "attach",
    isThere: (text) => ownIn(text).length > 0,
    isWanted: (text) => isSame(ownIn(text).toSorted(), lines),
    rest: (text) => withoutHooks(readJsonDocument(text), isOwn),
    clear,
    add: (text) => editBetween(text, addHooks(text, wanted)),
    remove: (text) => (ownIn(text).length === 0 ? undefined : editBetween(text, clear(text))),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
