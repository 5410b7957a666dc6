import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { SessionTokenStore } from "./session-token-store.ts";

interface ClockedStore {
  readonly store: SessionTokenStore;
  now: number;
}

function storeAt(start: number): ClockedStore {
  const state: ClockedStore = {
    now: start,
    store: new SessionTokenStore({ clock: () => state.now, timeToLiveMs: 1000 }),
  };
  return state;
}

test("[I5] a token is 64 hexadecimal characters, never the same, and says whose it is", () => {
  const { store } = storeAt(5000);
  const tokens = Array.from({ length: 500 }, (_, index) => store.generate("mara", `s${index}`));
  expect(new Set(tokens).size).toBe(500);
  expect(tokens.every((token) => /^[0-9a-f]{64}$/.test(token))).toBe(true);
  expect(store.validate(tokens[7]!)).toEqual({
    token: tokens[7],
    agentName: "mara",
    sessionId: "s7",
    createdAt: 5000,
    expiresAt: 6000,
  });
});

test("[I5] the time of day may be set: a session that runs keeps its token", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = new SessionTokenStore();
  const token = store.generate("mara", "s");
  expect(Math.abs((store.validate(token)?.createdAt ?? 0) - Date.now())).toBeLessThan(3_600_000);
  for (const years of [1, -1]) {
    vi.setSystemTime(Date.now() + years * 365 * 86_400_000);
    expect(store.validate(token)).toBeDefined();
    expect(store.size).toBe(1);
  }
});

test("[I5] a token lives as long as it was given, to the millisecond", () => {
  const state = storeAt(0);
  const token = state.store.generate("mara", "s");
  state.now = 999;
  expect(state.store.validate(token)).toBeDefined();
  expect(state.store.size).toBe(1);
  state.now = 1000;
  expect(state.store.size).toBe(0);
  expect(state.store.validate(token)).toBeUndefined();
  state.now = 0;
  // A clock that is set back revives nothing.
  expect(state.store.validate(token)).toBeUndefined();
});

test("[I5] a token that is renewed while it is good lives its whole time again; one that is not stays so", () => {
  const state = storeAt(0);
  const token = state.store.generate("mara", "s");
  state.now = 900;
  expect(state.store.renew(token)).toBe(true);
  state.now = 1899;
  expect(state.store.validate(token)).toMatchObject({ createdAt: 0, expiresAt: 1900 });
  state.now = 1900;
  expect(state.store.renew(token)).toBe(false);
  const revoked = state.store.generate("mara", "s");
  state.store.revoke(revoked);
  expect([state.store.renew(revoked), state.store.validate(revoked)]).toEqual([false, undefined]);
});

test.each<[string, (store: SessionTokenStore, token: string) => void, readonly string[]]>([
  ["revoke", (store, token) => store.revoke(token), ["mara two", "noor one"]],
  ["revokeSession", (store) => store.revokeSession("mara", "one"), ["mara two", "noor one"]],
  ["revokeAgent", (store) => store.revokeAgent("mara"), ["noor one"]],
  ["a new token for the session", (store) => store.generate("mara", "one"), ["mara two", "noor one"]],
])("[I5] %s ends the tokens that are meant, and only within the agent", (_, revoke, left) => {
  const { store } = storeAt(0);
  const tokens = [store.generate("mara", "one"), store.generate("mara", "two"), store.generate("noor", "one")];
  revoke(store, tokens[0]!);
  const valid = tokens.flatMap((token) => store.validate(token) ?? []);
  expect(valid.map(({ agentName, sessionId }) => `${agentName} ${sessionId}`)).toEqual(left);
});

test("[I5] what is not a token is refused: other cases, lengths, characters", () => {
  const { store } = storeAt(0);
  const token = store.generate("mara", "s");
  const letter = /[a-f]/.exec(token)?.[0] ?? "";
  const others = [
    "",
    token.slice(1),
    `${token}0`,
    ` ${token}`,
    `${token}\n`,
    token.replace(letter, letter.toUpperCase()),
    "g".repeat(64),
    "0".repeat(64),
    "é".repeat(64),
  ];
  expect(others.filter((other) => store.validate(other))).toEqual([]);
  expect(store.validate(token)).toBeDefined();
});

test("[I5] tokens are compared in constant time", () => {
  const { store } = storeAt(0);
  const token = store.generate("mara", "s");
  const original = crypto.timingSafeEqual;
  const compared: number[] = [];
  crypto.timingSafeEqual = (a, b) => {
    compared.push(a.byteLength, b.byteLength);
    return original(a, b);
  };
  syncBuiltinESMExports();
  try {
    expect(store.validate(token)).toBeDefined();
  } finally {
    crypto.timingSafeEqual = original;
    syncBuiltinESMExports();
  }
  expect(compared).toEqual([64, 64]);
});

test("[I5] tokens that are over do not pile up", () => {
  const state = storeAt(0);
  for (let index = 0; index < 5000; index += 1) {
    state.now += 10;
    state.store.generate(`agent${index % 7}`);
  }
  expect(state.store.size).toBeLessThanOrEqual(100);
  state.now += 1000;
  expect(state.store.size).toBe(0);
  expect(state.store.known().length).toBeLessThanOrEqual(100);
});
