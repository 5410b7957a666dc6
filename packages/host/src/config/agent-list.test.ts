import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { userFile } from "../disk/user-file.ts";
import { type GalleyAgents, type NewAgent, agentList } from "./agent-list.ts";
import { configFrom } from "./load-config.ts";

interface Project {
  readonly folder: string;
  readonly data: string;
}

function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), "galley-agent-list-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".ship"));
  return { folder, data: join(folder, ".ship") };
}

function agentsIn({ folder, data }: Project, config?: Parameters<typeof configFrom>[0], env = {}): GalleyAgents {
  return agentList({ config: config && configFrom(config, folder), data, environment: env });
}

const claude = { name: "mara", program: "claude-code" };

test("[I11] an agent that a person adds is there at once and later, in the user's own folder alone", async () => {
  const own = project();
  const agents = agentsIn(own);
  await agents.save({ ...claude, archetype: "repo", model: "demo", preset: "brief", withoutProviders: ["canvas"] });
  const kept = {
    name: "mara",
    command: "claude-agent-acp",
    backendType: "claude-code",
    archetype: "repo",
    cwd: own.folder,
  };
  for (const each of [agents, agentsIn(own)]) {
    expect(each.list()).toMatchObject([
      { from: "added", agent: { ...kept, model: "demo", withoutProviders: ["canvas"] } },
    ]);
  }
  const place = userFile("agents", own.data);
  const file = "file" in place ? place.file : "";
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(own.data)).toEqual([]);
  // What is absent stays, null takes away; a name in another case is the same agent.
  await agents.save({ name: "MARA", archetype: "service", preset: null });
  expect(agents.named("mara")).toMatchObject({ ...kept, archetype: "service", model: "demo" });
  expect(agents.named("mara").preset).toBeUndefined();
  await agents.remove("mara");
  expect(readFileSync(file, "utf8")).not.toContain("claude");
  await expect(agents.remove("mara")).rejects.toMatchObject({ code: "NotFound", path: "name" });
});

test("[I11] galley.config wins; what cannot be an agent is refused with its path, and nothing is kept", async () => {
  const own = project();
  const declared = { agents: [{ name: "ines", command: "x" }] };
  const agents = agentsIn(own, declared);
  const refusals: readonly (readonly [Partial<NewAgent>, string, string])[] = [
    [{ name: "INES" }, "EditNotAllowed", "name"],
    [{ name: "local" }, "DuplicateId", "name"],
    [{ name: "a/b" }, "BadRequest", "name"],
    [{ program: "nothing" }, "BadRequest", "program"],
    [{ program: undefined }, "BadRequest", "command"],
    [{ cwd: "nowhere" }, "BadRequest", "cwd"],
    [{ withoutProviders: ["canvass"] }, "ConfigInvalid", "withoutProviders[0]"],
  ];
  for (const [part, code, path] of refusals) {
    await expect(agents.save({ ...claude, ...part })).rejects.toMatchObject({ code, path });
  }
  expect(agents.list()).toHaveLength(1);
  await expect(agents.remove("ines")).rejects.toMatchObject({ code: "EditNotAllowed" });
  // One that was added before it was declared is covered by the declaration.
  await agentsIn(own).save({ ...claude, name: "ines" });
  expect(agentsIn(own, declared).list()).toMatchObject([{ from: "galley.config", agent: { command: "x" } }]);
});

test("[I11b] what a page must not decide alone: programs, folders outside, variables, files and permissions", async () => {
  const own = project();
  const agents = agentsIn(own);
  const outside = project().folder;
  mkdirSync(join(own.folder, "inside"));
  symlinkSync(outside, join(own.folder, "link"));
  const planned = (part: Partial<NewAgent>): string | undefined => agents.plan({ ...claude, ...part }).toConfirm;
  expect(planned({})).toBeUndefined();
  expect(planned({ cwd: "inside", archetype: "employee", model: "demo", permissions: "deny" })).toBeUndefined();
  expect(planned({ program: undefined, command: "sh", args: ["-c", 'a "b"'] })).toBe('start "sh" "-c" "a \\"b\\""');
  expect(planned({ args: ["--yolo"] })).toBe('start "claude-agent-acp" "--yolo"');
  expect(planned({ cwd: outside })).toBe(`be claude-code, work in ${JSON.stringify(outside)}`);
  expect(planned({ cwd: "link" })).toBe(`be claude-code, work in ${JSON.stringify(outside)}`);
  expect(planned({ env: { PATH: "/tmp" } })).toBe('be claude-code, set "PATH=/tmp"');
  // A key is not shown, and another one is something else.
  const keyed = (value: string): string | undefined => planned({ env: { MY_API_KEY: value } });
  expect(keyed("correct horse")).toMatch(/^be claude-code, set "MY_API_KEY=\([0-9a-f]{16}\)"$/);
  expect(keyed("correct horse")).not.toBe(keyed("battery staple"));
  expect(planned({ providers: [{ type: "mcp", file: "/x.json" }] })).toBe('be claude-code, use mcp "/x.json"');
  expect(planned({ permissions: { allow: ["execute"] } })).toBe('be claude-code, be allowed "execute"');
  // What was confirmed once needs it no more, and a change of it does.
  await agents.save({ name: "mara", command: "mine", args: ["1"] });
  expect(agents.plan({ name: "mara", archetype: "repo" }).toConfirm).toBeUndefined();
  expect(agents.plan({ name: "mara", args: ["2"] }).toConfirm).toBe('start "mine" "2"');
  // What was looked at is what is saved, also where another request has changed the agent since.
  const { settled } = agents.plan({ name: "mara", model: "demo" });
  await agents.save({ name: "mara", permissions: { allow: ["execute"] }, args: ["3"] });
  expect(await agents.save(settled)).toMatchObject({ permissions: "ask", args: ["1"], model: "demo" });
});

test("[I11c] a known program is found in PATH, and nothing is started to find it", () => {
  const { folder, data } = project();
  writeFileSync(join(folder, "gemini"), "");
  writeFileSync(join(folder, "claude"), "");
  chmodSync(join(folder, "gemini"), 0o755);
  chmodSync(join(folder, "claude"), 0o755);
  writeFileSync(join(folder, "qwen"), "not a program");
  chmodSync(join(folder, "qwen"), 0o644);
  const found = agentsIn({ folder, data }, undefined, { PATH: `.:${folder}` }).programs();
  const by = (id: string) => found.find((one) => one.id === id);
  expect(by("gemini")).toMatchObject({ installed: true, why: join(folder, "gemini") });
  expect(by("qwen")).toMatchObject({ installed: false });
  expect(by("claude-code")).toMatchObject({
    installed: false,
    why: expect.stringMatching(/claude is installed.*npm install/),
  });
});
