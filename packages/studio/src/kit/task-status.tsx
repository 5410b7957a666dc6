import type { ReactElement } from "react";
import { handoverText } from "../i18n/handover.ts";
import { useText } from "../i18n/use-text.ts";
import { Tag } from "./tag.tsx";

const tones: Readonly<Record<string, "good" | "bad" | "warn" | "accent" | "plain">> = {
  succeeded: "good",
  failed: "bad",
  timeout: "bad",
  cancelled: "plain",
  running: "accent",
  waiting: "warn",
  queued: "plain",
};

/** The state of a task; in English by the word that the command and the store use for it. */
export function TaskStatus({ status }: { readonly status: string }): ReactElement {
  const words: Readonly<Record<string, string>> = useText(handoverText).statuses;
  return <Tag tone={tones[status] ?? "plain"}>{words[status] ?? status}</Tag>;
}
