import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openGalley } from "../../galley/open-galley.ts";
import { file, folder, galley } from "../testing/run-command.ts";

const message = '{"role":"user","content":"Which tea?"}\n';

test("GALLEY_DATA means the same folder to every command, and a flag goes before it", async () => {
  const own = mkdtempSync(join(tmpdir(), "galley-data-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(own, { recursive: true, force: true });
  });
  const data = join(own, "named");
  vi.stubEnv("GALLEY_DATA", data);
  expect((await galley(["chat", "add", "--chat", "tea"], message)).code).toBe(0);
  expect((await galley(["run", "Green?", "--chat", "tea", "--model", "demo"])).code).toBe(0);
  expect((await galley(["profile", "add", "writer", "--text", "Short."])).code).toBe(0);
  const outs = await Promise.all([
    galley(["chat", "show", "--chat", "tea"]),
    galley(["build", "--chat", "tea", "--budget", "8000"]),
    galley(["chat", "show", "--chat", "tea", "--data", data]),
    galley(["profile", "list", "--data", data]),
    galley(["doctor"]),
  ]);
  const [shown, built, named, profiles, doctor] = outs.map(({ out }) => out);
  expect(shown).toContain("Which tea?");
  expect(built).toContain("Which tea?");
  expect(named).toBe(shown);
  expect(profiles).toContain("writer");
  expect(doctor).toContain("tea");
  for (const command of ["open", "down"]) expect((await galley([command])).err).toContain(data);
  const other = join(own, "other");
  expect((await galley(["chat", "show", "--chat", "tea", "--data", other])).out).toContain("There is no chat");
  // An empty variable names no folder, above all not the one that one stands in.
  vi.stubEnv("GALLEY_DATA", "");
  expect((await galley(["down"])).err).toContain(resolve(".ship"));
});

test("[W11] a turn may be built with a preset in a file", async () => {
  const data = join(folder, "preset-file");
  const preset = file("poet.json", {
    presetMessages: [
      { role: "system", content: "You are a poet." },
      { role: "user", type: "chat_history" },
    ],
  });
  const say = (name: string) => galley(["run", "Hello", "--chat", "poem", "--data", data, "--preset", name]);
  expect(await say(preset)).toMatchObject({ code: 0, out: expect.stringContaining("Hello") });
  const galleyOf = await openGalley({ data, config: false });
  const build = await galleyOf.store.builds.read({ projectId: "default", sessionId: "chat:poem" }, 1);
  await galleyOf.close();
  expect(build?.messages[0]).toEqual({ role: "system", content: "You are a poet." });
  expect(await say(join(folder, "none.json"))).toMatchObject({ code: 1, err: expect.stringContaining("FileNotFound") });
  expect(await say(file("no-poet.json", {}))).toMatchObject({ code: 1, err: expect.stringContaining("PresetInvalid") });
  expect(await say("none.json")).toMatchObject({ code: 1, err: expect.stringContaining("The library has no preset") });
});

test("[W11] a turn without a place is a call that makes no sense", async () => {
  const { code, err } = await galley(["run", "Hello"]);
  expect(code).toBe(2);
  expect(err).toContain("--chat demo");
});
