import { Hono } from "hono";
import { expect, test } from "vitest";
import { access, checkOwnPage } from "./access.ts";

const minute = 60_000;

test("[P6] a code is good once, and for ten minutes", () => {
  let now = 1_000_000;
  const own = access(() => now);
  const [first, second, third] = [own.newCode(), own.newCode(), own.newCode()];
  expect([own.redeem(first), own.redeem(first)]).toEqual([true, false]);
  now += 10 * minute - 1;
  expect(own.redeem(second)).toBe(true);
  now += 1;
  expect(own.redeem(third)).toBe(false);
  expect(own.redeem("")).toBe(false);
});

test("[P6] tokens and codes do not stand for each other", () => {
  const own = access();
  expect(own.isToken(own.token)).toBe(true);
  expect(own.isToken(own.newCode())).toBe(false);
  expect(own.redeem(own.token)).toBe(false);
  expect(access().isToken(own.token)).toBe(false);
});

test("unused codes do not pile up", () => {
  const own = access();
  const first = own.newCode();
  for (let count = 0; count < 100; count += 1) own.newCode();
  expect(own.redeem(first)).toBe(false);
});

test("[P6] a link on a page of another port opens pages of ours, and no route", async () => {
  const app = new Hono();
  app.get("*", (c) => {
    checkOwnPage(c);
    return c.text("shown");
  });
  app.onError((_, c) => c.text("refused"));
  const opened = async (path: string, site: string): Promise<string> => {
    const headers = { host: "127.0.0.1:1", "sec-fetch-mode": "navigate", "sec-fetch-site": site };
    return (await app.request(`http://127.0.0.1:1${path}`, { headers })).text();
  };
  for (const path of ["/", "/chats", "/apiary", "/docs"]) expect(await opened(path, "same-site")).toBe("shown");
  for (const path of ["/api/logs?read=all", "/api/logs/x/follow", "/events", "/openapi.json"]) {
    for (const site of ["same-site", "cross-site"]) expect(await opened(path, site)).toBe("refused");
    for (const site of ["same-origin", "none"]) expect(await opened(path, site)).toBe("shown");
  }
});
