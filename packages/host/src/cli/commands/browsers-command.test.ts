import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  type Answer,
  daemonProcess,
  galleyProcess,
  send,
  testDaemon,
  testFolder,
} from "../../daemon/testing/temp-daemon.ts";
import { type Run, galley } from "../testing/run-command.ts";

/** A browser, as far as the daemon can tell. */
function browserAt(url: string, cookie: string) {
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const ask = (path: string, method = "GET"): Promise<Answer> => send(url + path, { method, headers });
  const list = async () =>
    JSON.parse((await ask("/api/browsers")).text) as {
      readonly browsers: readonly { readonly id: string; readonly isCurrent: boolean }[];
    };
  return {
    ask,
    list,
    status: async () => (await ask("/api/info")).status,
    id: async () => (await list()).browsers.find(({ isCurrent }) => isCurrent)?.id ?? "",
    /** Opens a stream of events; gives what it has told when it is over. */
    async follow() {
      const response = await fetch(`${url}/events`, { headers });
      expect(response.status).toBe(200);
      return { told: response.text() };
    },
  };
}

const cookieOf = ({ headers }: Answer): string => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

async function signIn(data: string): Promise<string> {
  const { link } = JSON.parse((await galley(["open", "--json", "--data", data])).out) as { readonly link: string };
  return cookieOf(await send(link));
}

/** `galley up` as a person starts it, without naming a port. */
async function upAgain(data: string, env: Readonly<Record<string, string>> = {}) {
  const started = galleyProcess(["up", "--json", "--empty", "--data", data], { env });
  await expect.poll(() => started.printed()).toContain("\n");
  return JSON.parse(started.printed()) as { readonly url: string };
}

function inBrowsers(command: string, data: string, ...args: readonly string[]): Promise<Run> {
  return galley(["browsers", command, "--json", "--data", data, ...args]);
}

test.each(["SIGKILL", "SIGTERM"] as const)(
  "[P7] after a %s the daemon comes back at its port, and its browsers are signed in",
  async (signal) => {
    const first = await daemonProcess();
    const cookie = await signIn(first.data);
    expect(await browserAt(first.url, cookie).status()).toBe(200);
    await first.end(signal);
    const again = await upAgain(first.data);
    expect(again.url).toBe(first.url);
    expect(await browserAt(again.url, cookie).status()).toBe(200);
    // The daemon of another data folder has other browsers.
    const other = await testDaemon();
    const [otherName = ""] = (await other.login()).split("=");
    for (const sent of [cookie, cookie.replace(/^[^=]+/, otherName)]) {
      expect(await browserAt(other.url, sent).status()).toBe(401);
    }
  },
);

test("[P7] the daemon starts elsewhere when its port was taken meanwhile, and the cookie is good there too", async () => {
  const first = await daemonProcess();
  const cookie = await signIn(first.data);
  await first.end("SIGTERM");
  const thief = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
  onTestFinished(() => void thief.close());
  const again = await upAgain(first.data);
  expect(again.url).not.toBe(first.url);
  expect(await browserAt(again.url, cookie).status()).toBe(200);
});

test("[P7] a browser is signed out at once, its streams too: by the command, another browser, or itself", async () => {
  const daemon = await testDaemon();
  const { url, data } = daemon;
  const signedIn = async () => {
    const browser = browserAt(url, await daemon.login());
    return { ...browser, stream: await browser.follow() };
  };
  const [first, second, third, fourth] = [await signedIn(), await signedIn(), await signedIn(), await signedIn()];
  const expectOut = async (browser: typeof first): Promise<void> => {
    expect(await browser.stream.told).toMatch(/event: problem\ndata: \{"code":"LoginNeeded".*\n\n$/);
    expect(await browser.status()).toBe(401);
  };
  expect(JSON.parse((await inBrowsers("sign-out", data, await first.id())).out)).toEqual({ signedOut: 1 });
  await expectOut(first);
  expect((await third.ask(`/api/browsers/${await second.id()}`, "DELETE")).text).toBe('{"signedOut":1}');
  await expectOut(second);
  expect((await third.ask("/api/browsers", "DELETE")).text).toBe('{"signedOut":1}');
  await expectOut(fourth);
  expect((await third.list()).browsers).toMatchObject([{ isCurrent: true }]);
  expect((await third.ask(`/api/browsers/${await third.id()}`, "DELETE")).status).toBe(200);
  await expectOut(third);
});

test("[P7] the command lists and signs out without a daemon, and what it is told wrongly is said", async () => {
  const first = await daemonProcess();
  const { data } = first;
  const cookies = [await signIn(data), await signIn(data)];
  await first.end("SIGKILL");
  const { browsers } = JSON.parse((await inBrowsers("list", data)).out) as {
    readonly browsers: readonly { readonly id: string }[];
  };
  expect(browsers).toHaveLength(2);
  expect((await galley(["browsers", "list", "--data", data])).out).toMatch(/^id +browser +system +signed in \(UTC\)/);
  expect((await inBrowsers("sign-out", data, browsers[0]?.id ?? "")).out).toBe('{\n  "signedOut": 1\n}\n');
  const again = await upAgain(data);
  expect(await Promise.all(cookies.map((cookie) => browserAt(again.url, cookie).status()))).toEqual([200, 401]);
  expect(await inBrowsers("sign-out", data, "unknown")).toMatchObject({ code: 1, err: /No browser unknown/ });
  for (const args of [[], ["--all", "unknown"]]) {
    expect(await inBrowsers("sign-out", data, ...args)).toMatchObject({ code: 2, err: /--all/ });
  }
  expect((await inBrowsers("sign-out", data, "--all")).out).toBe('{\n  "signedOut": 1\n}\n');
  expect((await galley(["browsers", "list", "--data", data])).out).toMatch(/^No browser is signed in/);
  const missing = join(data, "missing");
  expect(await inBrowsers("list", missing)).toMatchObject({ code: 1, err: /does not exist/ });
});

test.skipIf(process.platform === "win32")(
  "[P7] where the state folder is open to others, browsers are signed out by a restart, and log and command say why",
  async () => {
    const state = testFolder();
    chmodSync(state, 0o777);
    const env = { XDG_STATE_HOME: state };
    const first = await daemonProcess({ env });
    // No key can be kept in such a folder either: the command is given the token.
    vi.stubEnv("GALLEY_TOKEN", first.token);
    onTestFinished(() => void vi.unstubAllEnvs());
    const cookie = await signIn(first.data);
    expect(await browserAt(first.url, cookie).status()).toBe(200);
    expect((await galley(["browsers", "list", "--data", first.data])).out).toContain(
      `A restart of the daemon signs them out. Other users can write into ${state}.`,
    );
    await first.end("SIGTERM");
    expect(readFileSync(join(first.data, "daemon.log"), "utf8")).toContain(
      `A restart will sign all browsers out. Other users can write into ${state}.`,
    );
    const again = await upAgain(first.data, env);
    expect(await browserAt(again.url, cookie).status()).toBe(401);
  },
);
