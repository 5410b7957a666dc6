import { expect, test } from "vitest";
import { pathForLog } from "./path-for-log.ts";

test.each([
  ["/api/chats/demo", "/api/chats/demo"],
  ["/api/chats/a%2Fb%20c", "/api/chats/a/b c"],
  ["/api/chats/a%2Fb c", "/api/chats/a/b c"],
  ["/api/chats/%E8%8C%B6/active", "/api/chats/茶/active"],
  ["/api/chats/%ff%/a%20b", "/api/chats/%ff%/a b"],
])("[P6] %s is read as %s", (path, readable) => {
  expect(pathForLog(path)).toBe(readable);
});
