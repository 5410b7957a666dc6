import type { RouteReply } from "galley/api";
import { useQueryClient } from "@tanstack/react-query";
import { markStale } from "../api/mark-stale.ts";
import { useAction } from "../api/use-api.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { showProblem } from "../kit/notices.tsx";

export type Demo = RouteReply<"info.demo">;

/** Makes sure that the demo is there in the reader's language, and gives its names; nothing where that failed, which is said. */
export function useDemo(): () => Promise<Demo | undefined> {
  const language = useLanguage();
  const make = useAction("info.demo");
  const client = useQueryClient();
  return async () => {
    try {
      const demo = await make.mutateAsync({ body: { language } });
      await markStale(client, (route) => route === "presets.list" || route === "chats.list");
      return demo;
    } catch (error) {
      showProblem(error);
      return undefined;
    }
  };
}
