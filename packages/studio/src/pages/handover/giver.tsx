import type { TaskTree } from "galley/api";
import { parsePlaceId, sessionIdOf } from "galley/api/client";
import type { ReactElement } from "react";
import { useSessionNames } from "../../api/session-names.ts";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";

/** The page of a chat, an agent, a task or a session. */
function pathOfPlace(id: string): string {
  const { kind, name } = parsePlaceId(id);
  switch (kind) {
    case "chat":
      return pathTo("chats", { key: name });
    case "agent":
      return pathTo("agents", { name });
    case "task":
      return pathTo("boxes", {}, { task: name });
    case "session":
      return pathTo("sessions", { id: name });
  }
}

/** A chat, agent, task or session by its name, which leads there. */
function PlaceLink({ id }: { readonly id: string }): ReactElement {
  const nameOf = useSessionNames();
  return (
    <Link href={pathOfPlace(id)} title={id} className="text-accent underline-offset-2 wrap-anywhere hover:underline">
      {nameOf(sessionIdOf(parsePlaceId(id)))}
    </Link>
  );
}

/** The place that a task is about, where that is not the one that asked. */
export function AboutPlace({ place, startedBy }: Pick<TaskTree, "place" | "startedBy">): ReactElement | null {
  const text = useText(handoverText);
  if (place === null || place === startedBy) return null;
  return (
    <span>
      · {text.aboutPlace} <PlaceLink id={place} />
    </span>
  );
}

/** Who asked, or who said something: a person, a place, a program, or the agent of a profile. */
export function Giver({ id, name }: { readonly id: string; readonly name?: string | null }): ReactElement {
  const text = useText(handoverText);
  if (id === "person") return <span>{text.you}</span>;
  if (id.startsWith("mcp:")) return <span title={id}>{text.program(id.slice("mcp:".length))}</span>;
  if (parsePlaceId(id).name !== id) return <PlaceLink id={id} />;
  return <span title={id}>{name ?? text.anAgent}</span>;
}
