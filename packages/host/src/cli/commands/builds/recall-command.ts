import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { chatKeyOf } from "../../../api/place-id.ts";
import { type RecallSource, chatSource, resultsOf, taskNamed, taskSource } from "../../../turn/tools/recall-source.ts";
import { recallFrom } from "../../../turn/tools/recall-tool.ts";
import { withHandover } from "../../input/handover-flags.ts";
import { type DataFlags, addDataFlags, tokensFrom } from "../../input/options.ts";
import { conversationArgument, isFileName, wholePlace, withKnownChat } from "../../input/place-names.ts";
import { readConversations } from "../../input/read-conversation.ts";
import { printResult } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface RecallFlags extends DataFlags {
  readonly query?: string;
  readonly archives?: boolean;
  readonly maxTokens?: number;
}

const examples = `
Examples:
  $ galley recall chat:demo §12                         the text of message 12, in pages
  $ galley recall chat:demo --query "kerosene tax" --archives
  $ galley recall ~/.codex/sessions/rollout-1.jsonl --query src/hull.ts`;

/** `galley recall`: what a model gets by `context_recall`, for people [R2]. */
export function defineRecall(command: Command, terminal: Terminal): void {
  const described = command
    .description(
      "What left the window, as the model itself can ask for it with context_recall: by handle (§12, §3–§18) the original " +
        "text, by words the best places. Handles stand in notes, in summaries and in the rows of explain.",
    )
    .argument("<place>", conversationArgument)
    .argument("[handle]", "§12, or §3–§18 for a range; quote it where your shell needs it")
    .option("--query <text>", "words to look for")
    .option("--archives", "look into the contexts that were put away in this chat too")
    .option("--max-tokens <tokens>", "how long the answer may be (default: 2000)", tokensFrom(1));
  addDataFlags(described)
    .addHelpText("after", examples)
    .action(async (place: string, handle: string | undefined, flags: RecallFlags) => {
      if (handle === undefined && flags.query === undefined) {
        throw new GalleyError("BadUsage", "recall needs a handle or --query.", {
          hint: "galley recall chat:demo §12, or galley recall chat:demo --query kerosene",
        });
      }
      const answer = await withSource(place, flags.data, terminal, (source) =>
        recallFrom(source, {
          handle,
          query: flags.query,
          maxTokens: flags.maxTokens,
          ...(flags.archives ? { scope: "archives" as const } : {}),
        }),
      );
      printResult(terminal, flags, answer, () => `${answer.text}\n`);
    });
}

async function withSource<Result>(
  place: string,
  data: string,
  terminal: Terminal,
  use: (source: RecallSource) => Promise<Result>,
): Promise<Result> {
  const named = place === "-" ? undefined : wholePlace(place);
  if (named?.kind === "task") {
    return withHandover({ data }, async ({ store, projectId: project }) => {
      const task = await taskNamed({ store, project }, named.name);
      return use(taskSource(store, task, { window: "person" }));
    });
  }
  const key = named && chatKeyOf(named);
  const returned = named && {
    place: `${named.kind}:${named.name}`,
    read: (ids: readonly string[]) =>
      withHandover({ data }, ({ store, projectId }) => store.tasks.read(projectId, ids)),
  };
  if (key !== undefined)
    return withKnownChat(data, key, (chat) => use(chatSource(async () => chat, { returned, window: "person" })));
  const [found] = await readConversations(place, data, terminal);
  const log = { entries: found?.entries ?? [], window: "person" } as const;
  const isFile = named === undefined || (await isFileName(place));
  return use({ active: async () => log, archives: async () => [], ...(isFile ? {} : resultsOf(returned)) });
}
