import { expect, test } from "vitest";
import { agentEnvironment, agentInjector, agentProviders } from "./agent-injector.ts";
import { type GalleyConfig, configSchema } from "../config/config-schema.ts";
import type { ContextProvider } from "../config/providers/context-provider.ts";
import { agentNamed } from "../config/load-config.ts";
import { Redactor } from "../secrets/redactor.ts";

const own = (name: string, text: string): ContextProvider => ({ name, getSystemContext: () => text });

function declared(config: GalleyConfig): Parameters<typeof agentProviders> {
  const parsed = configSchema.parse(config);
  const loaded = { file: "/project/galley.config.ts", folder: "/project", ...parsed };
  return [loaded, agentNamed(loaded, "mara"), { redactor: new Redactor(), environment: { KEY: "k3y-value" } }];
}

test("[I2] an agent's own provider replaces the common one of its name, in its place; it may do without others", () => {
  const providers = agentProviders(
    ...declared({
      providers: [own("house", "common"), { type: "rules", file: "AGENTS.md" }, { type: "mcp", required: true }],
      agents: [
        {
          name: "mara",
          command: "x",
          withoutProviders: ["canvas", "nobody"],
          providers: [own("last", "own"), own("house", "own"), { type: "skills", folders: ["s"], timeLimitMs: 5 }],
        },
      ],
    }),
  );
  expect(providers.map(({ name, required, timeLimitMs }) => [name, required, timeLimitMs])).toEqual([
    ["core-identity", undefined, undefined],
    ["house", undefined, undefined],
    ["rules", false, undefined],
    ["mcp", true, undefined],
    ["last", undefined, undefined],
    ["skills", false, 5],
  ]);
  expect(providers[1]?.getSystemContext?.("mara", {} as never)).toBe("own");
});

test("[I4] a provider that is declared as required and is missing fails prepare, with its file", async () => {
  const [config, agent, options] = declared({
    agents: [{ name: "mara", command: "x", providers: [{ type: "rules", file: "none.md", required: true }] }],
  });
  const failed = agentInjector(config, agent, options).prepare("mara", agent);
  await expect(failed).rejects.toMatchObject({
    code: "ProviderFailed",
    message: expect.stringContaining("/project/none.md"),
  });
});

test("[P6] the environment of an agent is filled in, and known to the redactor", () => {
  const [, agent, options] = declared({
    agents: [{ name: "mara", command: "x", env: { A: "${KEY}!", B: "plain", C: "${NONE:-no}" } }],
  });
  expect(agentEnvironment(agent, options)).toEqual({ A: "k3y-value!", B: "plain", C: "no" });
  expect(options.redactor.redact("k3y-value! k3y-value plain no")).toBe("‹secret:A› ‹secret:KEY› ‹secret:B› no");
});
