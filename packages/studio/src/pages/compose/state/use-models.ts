import type { RouteReply } from "galley/api";
import { useApi } from "../../../api/use-api.ts";

export type ModelItem = RouteReply<"models.list">["models"][number];

const none: readonly ModelItem[] = [];

export function useModels(): readonly ModelItem[] {
  return useApi("models.list", {}).data?.models ?? none;
}
