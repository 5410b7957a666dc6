import { useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteReply } from "galley/api";
import { chatKeyOf, parsePlaceId } from "galley/api/client";
import { markStale } from "../api/mark-stale.ts";
import { useAction, useApi } from "../api/use-api.ts";

export type Fill = NonNullable<RouteReply<"turns.fill">["fill"]>;
export type InForce = RouteReply<"chats.inForce">;
export type SettingChange = Pick<RouteInput<"chats.settings">["body"], "context" | "unset">;

interface PlaceSettings {
  /** What is set in the place itself, and what is in force there. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly inForce: InForce;
}

interface Place {
  readonly data: PlaceSettings | undefined;
  readonly error: Error | null;
  readonly save: (change: SettingChange) => Promise<void>;
}

/** The settings of a chat (`chat:<key>`), a session or an agent, and what changes them. */
export function usePlace(session: string): Place {
  const key = chatKeyOf(parsePlaceId(session)) ?? "";
  const isChat = key !== "";
  const chat = useApi("chats.get", { params: { key } }, { isEnabled: isChat });
  const plain = useApi("sessions.get", { params: { id: session } }, { isEnabled: !isChat });
  const chatInForce = useApi("chats.inForce", { params: { key } }, { isEnabled: isChat });
  const plainInForce = useApi("sessions.inForce", { params: { id: session } }, { isEnabled: !isChat });
  const setChat = useAction("chats.settings");
  const setSession = useAction("sessions.settings");
  const client = useQueryClient();
  const own = isChat ? chat.data : plain.data;
  const inForce = (isChat ? chatInForce : plainInForce).data;
  return {
    data: own && inForce && { own: own.context ?? {}, inForce },
    error: isChat ? (chat.error ?? chatInForce.error) : (plain.error ?? plainInForce.error),
    save: async (body) => {
      if (isChat) await setChat.mutateAsync({ params: { key }, body });
      else await setSession.mutateAsync({ params: { id: session }, body });
      await markStale(client, (route) => route.startsWith("turns."));
    },
  };
}
