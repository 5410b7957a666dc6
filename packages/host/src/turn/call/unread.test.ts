import { expect, test } from "vitest";
import { galleyIn } from "../../galley/testing/temp-galley.ts";

test("[T12] what lies further back than a build reads is counted, in builds, previews and after the cut", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("long");
  const count = 3000;
  const messages = Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${index} ${"word ".repeat(60)}`,
  }));
  await chat.append(messages);
  const counted = (ledger: readonly { kind: string; count?: number }[]): number =>
    ledger.reduce((sum, { kind, count: of = 1 }) => sum + (kind === "message" || kind === "earlier" ? of : 0), 0);
  const preview = await galley.preview({ chat: "long", budget: 4000, input: "Where were we?" });
  const looked = await preview.build();
  expect(counted(looked.ledger)).toBe(count + 1);
  const turn = await galley.turn({ chat: "long", budget: 4000, input: "Where were we?" });
  expect(turn.ledger).toContainEqual(expect.objectContaining({ kind: "earlier", fate: "dropped" }));
  expect([counted(turn.ledger), turn.digest]).toEqual([count + 1, looked.digest]);
  await turn.commit({ assistant: "At the beginning." });
  const next = await galley.turn({ chat: "long", budget: 4000, input: "And now?" });
  expect(counted(next.ledger)).toBe(count + 3);
  await next.abort();
});
