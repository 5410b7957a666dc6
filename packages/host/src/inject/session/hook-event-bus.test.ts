import { expect, test } from "vitest";
import { type HookEvent, HookEventBus } from "./hook-event-bus.ts";

test("[I7] the envelope says who, what and when; the rest has defaults", () => {
  const bus = new HookEventBus({ clock: () => Date.UTC(2026, 0, 2) });
  const heard: HookEvent[] = [];
  bus.on("canvas:updated", (event) => heard.push(event));
  const given = { agentName: "mara", data: { version: 2 }, callerType: "agent", callerId: "mara/s1" } as const;
  bus.emit("canvas:updated", given);
  bus.emit("canvas:updated");
  bus.emit("other");
  const timestamp = "2026-01-02T00:00:00.000Z";
  expect(heard).toEqual([
    { event: "canvas:updated", timestamp, ...given },
    { event: "canvas:updated", timestamp, agentName: undefined, data: {}, callerType: "system", callerId: "galley" },
  ]);
});

test("[I7] listeners come and go, also while an event is told", () => {
  const bus = new HookEventBus();
  const heard: string[] = [];
  const off = bus.on("x", () => {
    heard.push("once");
    off();
    bus.on("x", () => heard.push("late"));
  });
  bus.emit("x");
  expect(heard).toEqual(["once"]);
  bus.emit("x");
  expect(heard).toEqual(["once", "late"]);
  expect(bus.listenerCount()).toBe(1);
});
