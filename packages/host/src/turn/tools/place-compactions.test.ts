import type { ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import { galleyWith } from "../../galley/testing/temp-galley.ts";

const filler = "nothing to be said about it but this ".repeat(20);
const all = Array.from({ length: 30 }, (_, at): ModelMessage & { role: "user" | "assistant" } => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: at === 0 ? `The port is 8471. ${filler}` : `${at} ${filler}`,
}));

test.each([["chat"], ["session"]] as const)(
  "[F15] in a %s a compaction is undone through the library, and the next call with room sends everything again",
  async (kind) => {
    const { galley } = await galleyWith(() => ({ text: "x" }));
    const place = kind === "chat" ? { chat: "demo" } : { session: "work" };
    const entries = all.map((message, ts) => ({ id: `e${ts}`, ts, type: "message" as const, message }));
    if (kind === "chat") await (await galley.chats.open("demo")).append(all);
    else await galley.sessions.append("work", entries);
    const send = async (budget: number): Promise<string> => {
      const context = { compaction: "off" } as const;
      const turn = await galley.turn({ ...place, model: "demo", input: "Go on", budget, context });
      await turn.commit({ assistant: "Yes." });
      return JSON.stringify(turn.messages);
    };
    const compactions = galley.compactions(place);
    expect(await compactions.list()).toEqual([]);
    await expect(compactions.undo()).rejects.toMatchObject({ code: "NotFound" });
    expect(await send(2500)).not.toContain("8471");
    const [cut] = await compactions.list();
    expect(cut?.dropped?.count).toBeGreaterThan(0);
    // What left stays away, with room for it as well, until the cut is undone.
    expect(await send(20_000)).not.toContain("8471");
    expect(await compactions.undo()).toMatchObject({ type: "compaction", undoes: cut?.id });
    expect(await compactions.list()).toEqual([]);
    const sent = await send(20_000);
    for (const { content } of all) expect(sent).toContain(content as string);
    // Where there is no room, it is cut again, and that is the next to be undone.
    expect(await send(2500)).not.toContain("8471");
    expect(await compactions.list()).toHaveLength(1);
  },
);
