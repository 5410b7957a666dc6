import { expect, test } from "vitest";
import { browserName } from "./browser-sessions.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/141.0.0.0 Safari/537.36`, "Chrome 141", "Linux"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
    "Edge 141",
    "Windows",
  ],
  [`Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36 OPR/90.1`, "Opera 90", "Android"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox 144", "macOS"],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webkit} Version/18.6 Mobile/15E148 Safari/604.1`,
    "Safari 18",
    "iOS",
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`, "Chrome 140", "ChromeOS"],
  ["curl/8.5.0", "curl/8.5.0", undefined],
  ["", "", undefined],
])("%s is %s on %s", (userAgent, name, system) => {
  expect(browserName(userAgent)).toEqual({ name, ...(system === undefined ? {} : { system }) });
});

test("[P6] what an unknown one says can neither steer a terminal nor fill a page", () => {
  const { name } = browserName(`\u001b[2J<img src=x onerror=alert(1)>\u202e\r\nSet-Cookie: a=b ${"x".repeat(100_000)}`);
  expect(name).toMatch(/^[A-Za-z0-9 ./_-]{1,40}$/);
});
