import type { ReactElement } from "react";
import { Tag } from "../../kit/tag.tsx";

const tones: Readonly<Record<string, "good" | "bad" | "warn" | "accent" | "plain">> = {
  succeeded: "good",
  failed: "bad",
  timeout: "bad",
  cancelled: "plain",
  running: "accent",
  suspended: "warn",
  queued: "plain",
};

/** The state of a turn, by the word that the command and the store use for it. */
export function TurnStatus({ status }: { readonly status: string }): ReactElement {
  return <Tag tone={tones[status] ?? "plain"}>{status}</Tag>;
}
