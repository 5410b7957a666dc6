import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Preset, parsePreset } from "@galley/engine";
import { describe, expect, test } from "vitest";
import { testDaemon } from "../../../daemon/testing/temp-daemon.ts";
import { type Run, example, file, folder, galley } from "../../testing/run-command.ts";

interface Opened {
  readonly preset: (args: readonly string[], stdin?: string) => Promise<Run>;
  /** What a daemon has told those who look on. */
  readonly events: readonly string[];
}

/** `galley preset` on a data folder of its own. */
function opened(name: string, events: readonly string[] = []): Opened & { readonly data: string } {
  const data = join(folder, name);
  return { data, events, preset: (args, stdin) => galley(["preset", ...args, "--data", data], stdin) };
}

async function openedWithDaemon(name: string): Promise<Opened> {
  const events: string[] = [];
  const { data, preset } = opened(name, events);
  const { daemon } = await testDaemon({ galley: { data } });
  daemon.galley.events.on(({ type, subject }) => events.push(`${type} ${subject}`));
  return { preset, events };
}

const json = async (run: Promise<Run>): Promise<unknown> => JSON.parse((await run).out) as unknown;

describe.each([
  { place: "the folder", open: async (name: string): Promise<Opened> => opened(`folder-${name}`), isDaemon: false },
  { place: "its daemon", open: (name: string) => openedWithDaemon(`daemon-${name}`), isDaemon: true },
])("the library, by $place", ({ open, isDaemon }) => {
  test("[X1] what import wrote is saved, listed, taken out again and deleted", async () => {
    const { preset, events } = await open("whole");
    const out = join(folder, `mara-${isDaemon}.json`);
    await galley(["import", example("sillytavern-card.json"), "--out", out]);
    expect(await preset(["save", "Mara 1", out])).toEqual({ code: 0, out: "Saved version 1 of Mara 1.\n", err: "" });
    expect((await preset(["list"])).out).toMatch(
      /^preset +version +saved +form .*\nMara 1 +1 +\d{4}-\d\d-\d\d \d\d:\d\d +advanced .* Mara\ndefault +0 +built in +simple/,
    );
    expect(await json(preset(["list", "--json"]))).toMatchObject({ presets: [{ id: "Mara 1", version: 1 }, {}] });
    const written = parsePreset(readFileSync(out, "utf8")).preset;
    expect(await json(preset(["get", "Mara 1"]))).toEqual(written);
    const wrong = await preset(["delete", "Mara 1", "--confirm", "Mara"]);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--confirm "Mara 1"') as string });
    expect(await json(preset(["delete", "Mara 1", "--confirm", "Mara 1", "--json"]))).toEqual({ deleted: "Mara 1" });
    expect(await preset(["get", "Mara 1"])).toMatchObject({ code: 1, err: expect.stringContaining("NotFound") });
    // Nothing is lost until the name is used again.
    expect(await json(preset(["get", "Mara 1", "--version", "1"]))).toEqual(written);
    expect(events).toEqual(isDaemon ? ["preset:saved Mara 1", "preset:deleted Mara 1"] : []);
  });

  test("a name that is taken needs --force; the version before it stays", async () => {
    const { preset } = await open("taken");
    const [first, second] = ["One.", "Two."].map((content): Preset => ({
      presetMessages: [{ id: "note", role: "system", content }],
    }));
    await preset(["save", "note", "-"], JSON.stringify(first));
    const refused = await preset(["save", "note", "-"], JSON.stringify(second));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(
      /^error PresetConflict: .*already has a preset "note": version 1, saved \d{4}-.*\n {2}hint: .*--force .*version 2/,
    );
    expect(await json(preset(["get", "note"]))).toMatchObject(first ?? {});
    const saved = await json(preset(["save", "note", "-", "--force", "--json"], JSON.stringify(second)));
    expect(saved).toMatchObject({ id: "note", version: 2, problems: [] });
    expect((await preset(["versions", "note"])).out).toMatch(/^version +saved .*\n +2 .*galley preset save\n +1 /);
    expect(await json(preset(["versions", "note", "--json"]))).toMatchObject({
      versions: [{ version: 2 }, { version: 1, savedAt: expect.any(Number) as number }],
    });
    expect(await json(preset(["get", "note", "--version", "1"]))).toMatchObject(first ?? {});
    expect(await json(preset(["get", "note"]))).toMatchObject(second ?? {});
    const none = await preset(["get", "note", "--version", "9"]);
    expect(none).toMatchObject({ code: 1, err: expect.stringMatching(/no version 9[^]*hint:/) as string });
  });

  test("all that is wrong with a preset is said, and it is not saved", async () => {
    const { preset, events } = await open("wrong");
    const bad = { presetMessages: [{ role: "bot" }, { role: "user", injectionStrategy: { depth: -1 } }] };
    const refused = await preset(["save", "bad", "-"], JSON.stringify(bad));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("presetMessages[0].role");
    expect(refused.err).toContain("presetMessages[1].injectionStrategy.depth");
    expect((await preset(["list"])).out).not.toContain("bad");
    for (const name of ["../x", ".."]) {
      const misnamed = await preset(["save", name, example("simple.json")]);
      expect(misnamed).toMatchObject({ code: 1, err: expect.stringMatching(/^error InvalidId[^]*hint:/) as string });
    }
    expect(events).toEqual([]);
  });

  test("the default is built in until one is saved under its name", async () => {
    const { preset } = await open("default");
    expect((await preset(["versions", "default"])).out).toBe("default is built in; it was not saved yet.\n");
    expect((await preset(["save", "default", example("simple.json")])).out).toBe("Saved version 1 of default.\n");
    expect((await preset(["delete", "default", "--confirm", "default"])).code).toBe(0);
    expect((await preset(["list"])).out).toContain("built in");
  });
});

test("[E] get replaces a file only when it is told to, and says which version it wrote", async () => {
  const { preset } = opened("out");
  await preset(["save", "note", example("simple.json")]);
  const out = file("there.json", "mine");
  const refused = await preset(["get", "note", "--out", out]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/FileExists[^]*--force/) as string });
  expect(readFileSync(out, "utf8")).toBe("mine");
  expect((await preset(["get", "note", "--out", out, "--force"])).out).toBe(`Wrote version 1 of note to ${out}.\n`);
  expect(await galley(["preset", "check", out])).toMatchObject({ code: 0 });
  const again = join(folder, "again.json");
  expect(await json(preset(["get", "note", "--out", again, "--json"]))).toEqual({
    id: "note",
    version: 1,
    file: again,
  });
  expect(readFileSync(again)).toEqual(readFileSync(out));
});
