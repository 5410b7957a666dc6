import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addProfiles } from "../src/daemon/testing/add-profiles.ts";
import { type DaemonProcess, daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { testDatabase } from "../testing/test-database.ts";
import { slowModel } from "../src/models/testing/slow-model.ts";
import { claimFault, isThorough } from "./claim-fault.ts";

const hour = 3_600_000;
const year = 365 * 24 * hour;
const preload = fileURLToPath(new URL("set-clock.ts", import.meta.url));

interface Clock {
  readonly env: Readonly<Record<string, string>>;
  set(shiftMs: number): void;
}

/** A clock that processes started with `env` read the time of day from. */
function testClock(): Clock {
  const file = join(testFolder(), "clock");
  const set = (shiftMs: number): void => {
    writeFileSync(`${file}.new`, String(shiftMs));
    renameSync(`${file}.new`, file);
  };
  set(0);
  return { set, env: { GALLEY_CLOCK_FILE: file, NODE_OPTIONS: `--import=${preload}` } };
}

const say = (content: string) => ({ messages: [{ role: "user" as const, content }] });

async function talk(daemon: DaemonProcess, name: string): Promise<void> {
  const params = { key: "talk" };
  await daemon.call("chats.add", { params, body: say(`said ${name}`) });
  const events = await daemon.events("runs.start", { body: { chat: "talk", input: `run ${name}`, runId: name } });
  expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
  const { taskId } = await daemon.call("tasks.start", {
    body: { profile: "helper", instruction: `task ${name}` },
  });
  const over = async (): Promise<string | undefined> =>
    (await daemon.call("tasks.get", { params: { id: taskId } })).status;
  await expect.poll(over, { timeout: 60_000 }).toBe("succeeded");
  if (name.endsWith("3")) await daemon.call("chats.new", { params, body: {} });
}

test(
  "[W10] the clock of a daemon jumps between calls",
  { timeout: isThorough ? 900_000 : 180_000 },
  async ({ task }) => {
    const jumps = [-hour, year, 0, -year, hour, 0, -year * 10, year * 10].slice(0, isThorough ? 8 : 4);
    const rounds = isThorough ? 3 : 1;
    claimFault(task, {
      area: "clocks",
      fault:
        "the clock of a running daemon jumps between calls: an hour back, a year ahead, right again, a year back; the next daemon starts under a clock that is years behind",
      holds:
        "messages, runs and tasks all end; the transcript keeps its order; ids are unique; events go on where they were cut",
      rounds: jumps.length * rounds,
    });
    const clock = testClock();
    const data = join(testFolder(), "data");
    await addProfiles(data, ["helper"]);
    const daemon = await daemonProcess({ data, env: clock.env });
    const open = Promise.withResolvers<void>();
    const following = daemon.events("events.follow", {}, { isEnough: () => true, onOpen: open.resolve });
    await open.promise;
    await talk(daemon, "0");
    const [first] = await following;
    const names = ["0"];
    for (let round = 0; round < rounds; round += 1) {
      for (const jump of jumps) {
        clock.set(jump);
        await sleep(10);
        const name = String(names.length);
        await talk(daemon, name);
        names.push(name);
      }
    }
    // A client that was cut off before all of it reads on from there, without a gap.
    const isLast = ({ type, subject }: { readonly type: string; readonly subject: string }): boolean =>
      type === "run:ended" && subject === names.at(-1);
    const resumed = await daemon.events("events.follow", {}, { lastEventId: first?.id ?? "", isEnough: isLast });
    expect(resumed.map(({ data }) => data.type)).not.toContain("events:lost");
    const ended = resumed.filter(({ data }) => data.type === "run:ended").map(({ data }) => data.subject);
    expect(ended).toEqual(names);
    expect(await daemon.end("SIGTERM")).toBe(0);
    // Another one, under a clock that lies before everything that was said.
    clock.set(-year * 20);
    const next = await daemonProcess({ data, env: clock.env });
    await talk(next, "last");
    names.push("last");
    const { messages } = await next.call("chats.transcript", { params: { key: "talk" }, query: { limit: 1000 } });
    const said = messages.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(said).toEqual(names.flatMap((name) => [`said ${name}`, `run ${name}`]));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  },
);

/** A folder with a configuration, for `--config`. */
function configFolder(config: object): string {
  const folder = testFolder();
  writeFileSync(join(folder, "galley.config.json"), JSON.stringify(config));
  return folder;
}

test.for([
  { name: "back an hour", shift: -hour },
  { name: "back a year", shift: -year },
  { name: "ahead a year", shift: year },
])(
  "[W11] a run was cut by a kill -9, and the clock is set $name: it is resumed at once",
  { timeout: 180_000 },
  async ({ name, shift }, { task }) => {
    claimFault(task, {
      area: "clocks",
      fault: `kill -9 on a daemon in the middle of a run, and the clock is set ${name} before the next one`,
      holds: "the run is resumed at once and leaves its messages once",
      rounds: 1,
    });
    const clock = testClock();
    const model = await slowModel();
    const args = ["--config", configFolder(model.config)];
    const first = await daemonProcess({ args, env: clock.env });
    const body = { chat: "demo", input: "hello", runId: "cut" };
    await first.events("runs.start", { body }, { isEnough: ({ type }) => type === "text" });
    await first.end("SIGKILL");
    model.release();
    clock.set(shift);
    const second = await daemonProcess({ data: first.data, args, env: clock.env });
    // The clock is what the test says it is, or nothing is tried.
    const { startedAt } = await second.call("info.get");
    expect(Math.abs(startedAt - Date.now() - shift)).toBeLessThan(hour / 2);
    const status = async (): Promise<string> => (await second.call("runs.get", { params: { id: "cut" } })).status;
    await expect.poll(status, { timeout: 60_000 }).toBe("finished");
    const { messages } = await second.call("chats.transcript", { params: { key: "demo" } });
    expect(messages.map(({ content }) => content)).toEqual(["hello", "First and last."]);
  },
);

test(
  "[W11] the clock is set while a run waits for its model: nobody takes it over",
  { timeout: 240_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "clocks",
      fault: "the clock is set five minutes ahead, and an hour back, while a run and a task wait for their model",
      holds: "both go on where they are: nobody takes them over, the model is asked once for each",
      rounds: 2,
    });
    const clock = testClock();
    const model = await slowModel();
    const data = join(testFolder(), "data");
    await addProfiles(data, ["helper"]);
    // A daemon that stands still for longer than its lease loses its runs, and should.
    const limits = { runLeaseMs: 24_000, runLookMs: 1000 };
    const args = ["--config", configFolder({ ...model.config, limits })];
    const daemon = await daemonProcess({ data, args, env: clock.env });
    const running = daemon.events("runs.start", { body: { chat: "demo", input: "hello", runId: "long" } });
    const { taskId } = await daemon.call("tasks.start", { body: { profile: "helper", instruction: "Go." } });
    await expect.poll(() => model.requests(), { timeout: 60_000 }).toBe(2);
    for (const shift of [hour / 12, -hour]) {
      clock.set(shift);
      // Long enough for some looks at what seems to be abandoned.
      await sleep(2.5 * limits.runLookMs);
    }
    model.release();
    expect((await running).at(-1)?.data).toMatchObject({ type: "run:finished", result: { text: "First and last." } });
    const found = async (): Promise<unknown> => daemon.call("tasks.get", { params: { id: taskId } });
    await expect.poll(found, { timeout: 60_000 }).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(model.requests()).toBe(2);
  },
);

test(
  "[W11] two daemons share a PostgreSQL, and the clock of one machine is set: neither takes work from the other",
  { timeout: 240_000 },
  async ({ task }) => {
    const shifts = isThorough ? [-hour, hour, -year] : [-hour, year];
    claimFault(task, {
      area: "clocks",
      fault:
        "two daemons share a PostgreSQL, and the clock of one is set back and ahead, by an hour and by a year, while runs of both wait for their model",
      holds: "the other one takes nothing over: the model is asked once for each, and both end where they began",
      rounds: shifts.length,
    });
    const postgres = await testDatabase();
    const clock = testClock();
    const model = await slowModel();
    // A daemon that stands still for longer than its lease loses its runs, and should.
    const limits = { runLeaseMs: 24_000, runLookMs: 1000 };
    const args = ["--config", configFolder({ ...model.config, limits }), "--postgres", postgres];
    const [set, right] = await Promise.all([daemonProcess({ args, env: clock.env }), daemonProcess({ args })]);
    const running = set.events("runs.start", { body: { chat: "demo", input: "hello", runId: "long" } });
    await expect.poll(() => model.requests(), { timeout: 60_000 }).toBe(1);
    const other = right.events("runs.start", { body: { chat: "other", input: "hello", runId: "other" } });
    await expect.poll(() => model.requests(), { timeout: 60_000 }).toBe(2);
    for (const shift of shifts) {
      clock.set(shift);
      // Both have renewed their leases and looked for lost runs.
      await sleep(limits.runLeaseMs / 3 + 2 * limits.runLookMs);
    }
    expect(model.requests()).toBe(2);
    model.release();
    const finished = { type: "run:finished", result: { text: "First and last." } };
    expect([(await running).at(-1)?.data, (await other).at(-1)?.data]).toMatchObject([finished, finished]);
    const states = async (): Promise<readonly string[]> => {
      const runs = await Promise.all(["long", "other"].map((id) => right.call("runs.get", { params: { id } })));
      return runs.map(({ status }) => status);
    };
    // The mark that a run has ended may reach the other process a moment later than its end was told (decision 14).
    await expect.poll(states).toEqual(["finished", "finished"]);
  },
);
