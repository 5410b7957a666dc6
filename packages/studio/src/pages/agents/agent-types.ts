import type { RouteReply } from "galley/api";

export type Agent = RouteReply<"agents.list">["agents"][number];

export type AgentDetails = RouteReply<"agents.get">;
