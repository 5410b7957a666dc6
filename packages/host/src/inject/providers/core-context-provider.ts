import type { AgentInstanceMeta, Archetype } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { loadTemplate, renderTemplate } from "../session/templates.ts";

const descriptions: Record<Archetype, string> = {
  repo: "you work on the files of one repository, for the person who started you",
  service: "you answer requests of people and programs for as long as you run",
  employee: "you pursue your own tasks over a long time and report what you did",
};

/** Tells an agent who it is and what the platform gives it. */
export class CoreContextProvider implements ContextProvider {
  readonly name = "core-identity";

  getSystemContext(agentName: string, meta: AgentInstanceMeta): string {
    return renderTemplate(loadTemplate("core-identity"), {
      agentName,
      archetype: meta.archetype,
      archetypeDescription: descriptions[meta.archetype],
      backendType: meta.backendType,
      workspacePolicy: meta.workspacePolicy,
    }).trim();
  }
}
