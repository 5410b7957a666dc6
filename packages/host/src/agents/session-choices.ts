import { type ClientContext, methods } from "@agentclientprotocol/sdk/unstable";
import * as z from "zod";
import type { AgentUpdate } from "./acp-prompt.ts";

/** The mode and the options of a session, as they are now. */
export interface SessionChoices {
  readonly mode: string | undefined;
  readonly options: readonly {
    readonly id: string;
    readonly category: string | undefined;
    readonly value: string | boolean;
  }[];
}

/** The mode and the options (the model is one) that a person or the agent has chosen; what it does not take stays as it is. */
export async function restoreChoices(
  agent: ClientContext,
  { sessionId, choices: present }: { readonly sessionId: string; readonly choices: SessionChoices },
  { mode, options }: SessionChoices,
): Promise<void> {
  if (mode !== undefined && mode !== present.mode)
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode }).catch(() => undefined);
  for (const { id: configId, value } of options) {
    if (present.options.some((option) => option.id === configId && option.value === value)) continue;
    const chosen = typeof value === "boolean" ? { type: "boolean" as const, value } : { value };
    await agent
      .request(methods.agent.session.setConfigOption, { sessionId, configId, ...chosen })
      .catch(() => undefined);
  }
}

const optionsSchema = z.array(
  z.looseObject({
    id: z.string(),
    category: z.string().nullish(),
    currentValue: z.union([z.string(), z.boolean()]),
  }),
);
const choicesSchema = z.looseObject({
  modes: z.looseObject({ currentModeId: z.string() }).nullish().catch(undefined),
  configOptions: optionsSchema.nullish().catch(undefined),
});

export function readChoices(opened: unknown): SessionChoices {
  const { modes, configOptions } = choicesSchema.parse(opened);
  return { mode: modes?.currentModeId, options: optionsOf(configOptions) };
}

/** What an agent says later of what is chosen. */
export function updatedChoices(before: SessionChoices, update: AgentUpdate): SessionChoices {
  if (update.sessionUpdate === "current_mode_update") return { ...before, mode: update.currentModeId };
  if (update.sessionUpdate !== "config_option_update") return before;
  const { data } = optionsSchema.safeParse(update.configOptions);
  return data ? { ...before, options: optionsOf(data) } : before;
}

function optionsOf(options: z.output<typeof optionsSchema> | null | undefined): SessionChoices["options"] {
  return (options ?? []).map(({ id, category, currentValue }) => ({
    id,
    category: category ?? undefined,
    value: currentValue,
  }));
}
