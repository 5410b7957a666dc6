import fc from "fast-check";
import { test } from "vitest";
import { entriesOf, groupedHistory, runs } from "../model/testing/history.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { composePreset } from "./compose-preset.ts";
import type { Preset } from "./preset/preset.ts";
import { simplePreset } from "./testing/preset.ts";

const compose = (preset: Preset, groups: Parameters<typeof entriesOf>[0][]): ReturnType<typeof composePreset> =>
  composePreset({ preset, history: entriesOf(groups.flat()), userProfile: "profile" });

/** Law tests answer with a boolean: building an assertion for each of thousands of cases takes longer than the cases. */
function law(name: string, holds: (preset: Preset, groups: Parameters<typeof entriesOf>[0][]) => boolean): void {
  test(name, () => {
    fc.assert(fc.property(simplePreset, groupedHistory, holds), runs);
  });
}

law("[C5] the order of history is kept, and all of it is sent", (preset, groups) => {
  const { messages } = compose(preset, groups);
  const history = groups.flat();
  const sent = messages.filter((message) => history.includes(message));
  return sent.length === history.length && sent.every((message, index) => message === history[index]);
});

law("[C6] groups are never split", (preset, groups) => {
  const { messages } = compose(preset, groups);
  return groups.every((group) => {
    const at = messages.indexOf(group[0] as (typeof messages)[number]);
    return group.every((message, index) => messages[at + index] === message);
  });
});

const placeKey = ({ place }: LedgerRow): string => JSON.stringify(place);

law("[C7] what shares a place is sorted by order, then by list", (preset, groups) => {
  const { ledger } = compose(preset, groups);
  const orderAt = (row: LedgerRow): number => {
    const index = Number(/\[(\d+)\]/.exec(row.path ?? "")?.[1]);
    return preset.presetMessages?.[index]?.injectionStrategy?.order ?? 100;
  };
  const sent = ledger.filter((row) => row.kind === "step" && row.fate === "kept" && row.place?.kind !== "list");
  return sent.every((a, indexA) =>
    sent.slice(indexA + 1).every((b) => {
      if (placeKey(a) !== placeKey(b)) return true;
      const aComesFirst = orderAt(a) >= orderAt(b);
      return aComesFirst === (a.position ?? 0) < (b.position ?? 0);
    }),
  );
});

law("[C6] deeper injections never stand behind shallower ones", (preset, groups) => {
  const rows = compose(preset, groups).ledger.filter((row) => row.fate === "kept" && row.place?.kind === "depth");
  const depth = ({ place }: LedgerRow): number => (place?.kind === "depth" ? place.depth : 0);
  return rows.every((a) => rows.every((b) => depth(a) <= depth(b) || (a.position ?? 0) < (b.position ?? 0)));
});

law("[P1] every input has one row, every message has its source, and the fates add up", (preset, groups) => {
  const { messages, ledger } = compose(preset, groups);
  const inputs = (preset.presetMessages?.length ?? 0) + groups.flat().length + 1;
  const own = ledger.filter((row) => row.kind !== "generated");
  const positions = new Set(ledger.flatMap((row) => row.position ?? []));
  return (
    own.length === inputs && positions.size === messages.length && new Set(own.map((row) => row.id)).size === inputs
  );
});

law("[F2] the same input gives the same bytes, whatever the order of its keys", (preset, groups) => {
  const reversed = JSON.parse(JSON.stringify(preset), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  ) as Preset;
  return JSON.stringify(compose(preset, groups)) === JSON.stringify(compose(reversed, groups));
});
