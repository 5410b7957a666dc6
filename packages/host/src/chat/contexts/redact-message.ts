import { GalleyError } from "@galley/engine";
import { type Removal, removeStoreCopies } from "../../disk/store-files.ts";
import type { SwitchesInput } from "./context-switches.ts";
import { hasMessage } from "./find-message.ts";
import { lastSummary } from "./last-summary.ts";
import { formatRedaction } from "../lines/redactions.ts";

/** Takes a message out of all that is shown of a chat [M7]. */
export async function redactMessage(
  { dataFolder, paths, chatKey, index, writer }: SwitchesInput,
  messageId: string,
  nextTime: () => number,
): Promise<Removal> {
  if (!hasMessage(paths, chatKey, messageId)) {
    const hint = "galley chat show lists messages with their ids.";
    throw new GalleyError("NotFound", `The chat holds no message ${messageId}.`, { path: "messageId", hint });
  }
  const removal = removeStoreCopies(dataFolder);
  const { items } = await index.list();
  const ts = Math.max(nextTime(), lastSummary(paths, items) + 1);
  await writer.appendLine("redactions", formatRedaction(messageId, ts));
  // Nothing of it stays in `index.json` either.
  await index.list();
  return removal;
}
