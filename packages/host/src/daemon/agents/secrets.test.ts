import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { CoreContextProvider } from "../../inject/providers/core-context-provider.ts";
import { smallAgent, testHost } from "../testing/temp-agent-host.ts";

const planted = "planted-key-c0ffee-5150";
const header = "planted-header-beef-8086";

/** Every file below a folder, as one text. */
function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

test.each([
  { name: "what it says", does: "tell-secrets", backendType: "generic" },
  { name: "the files of a backend that reads files", does: "tell-secrets", backendType: "opencode" },
  { name: "its last words", does: "tell-secrets die-on-prompt", backendType: "generic" },
])("[P6] an agent that gives its secrets away gives nothing away: $name", async ({ does, backendType }) => {
  const agent = smallAgent(does, {
    backendType,
    launchMode: "direct",
    env: { PLANTED_KEY: "${PLANTED_KEY}", AS_IT_IS: `x${planted}x` },
  });
  const environment = { PATH: process.env["PATH"], HOME: process.env["HOME"], PLANTED_KEY: planted };
  // A kind that the agent does not know: it is not tried, but it is known.
  const servers = [
    { name: "other", type: "sse", url: "http://127.0.0.1:9/", headers: [{ name: "X-Key", value: header }] },
  ] as const;
  const { manager, events, dataFolder, tempFolder, redactor } = await testHost([agent], {
    environment,
    providers: [
      new CoreContextProvider(),
      { name: "servers", getMcpServers: () => servers },
      {
        name: "broken",
        getSystemContext: () => {
          throw new Error(`cannot log in with ${planted}`);
        },
      },
    ],
  });
  const written: unknown[] = [];
  const session = await manager.startAgent("mara");
  const { token } = session.context;
  written.push(filesBelow(dataFolder), filesBelow(tempFolder));
  try {
    const text = `TOKEN PLANTED ${header} and again TOKEN`;
    written.push(await manager.prompt("mara", text, { onUpdate: (update) => written.push(update) }));
  } catch (error) {
    written.push(error, JSON.stringify(error));
  }
  await manager.stopAgent("mara");
  written.push(events, manager.listAgents(), filesBelow(dataFolder), filesBelow(tempFolder));
  const everything = inspect(written, {
    depth: 20,
    maxStringLength: null,
    maxArrayLength: null,
    breakLength: Infinity,
  });
  for (const secret of [token, token.slice(0, 30), token.slice(34), planted, header])
    expect(everything).not.toContain(secret);
  // What was taken out has left its name.
  expect(everything).toContain("‹secret:token:mara");
  expect(everything).toContain("‹secret:PLANTED_KEY");
  expect(redactor.redact(`still ${token}`)).not.toContain(token);
});

test("[H9] a running agent has neither the address of the store nor a key that is not meant for it", async () => {
  const agent = smallAgent("tell-secrets", { inheritEnv: ["MEANT_KEY"] });
  const { PATH, HOME } = process.env;
  const environment = { PATH, HOME, MEANT_KEY: planted, OTHER_KEY: planted, GALLEY_POSTGRES: "postgres://a:b@c/d" };
  const { manager } = await testHost([agent], { environment });
  await manager.startAgent("mara");
  const { text } = await manager.prompt("mara", "VARIABLES");
  expect(text.split(" ")).toEqual(expect.arrayContaining(["PATH", "HOME", "MEANT_KEY", "GALLEY_SESSION_TOKEN"]));
  expect(text).not.toMatch(/OTHER_KEY|GALLEY_POSTGRES/);
});
