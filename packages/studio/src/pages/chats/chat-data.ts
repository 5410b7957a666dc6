import type { RouteReply } from "galley/api";

export type ChatData = RouteReply<"chats.get">;
