/** Who answers a turn: a daemon over HTTP, or an open Galley. */
export interface LoadedSide {
  /** Says a text in a chat and gives the reply. */
  say(chat: string, text: string): Promise<string>;
  /** Everything that the transcript of a chat holds. */
  transcript(chat: string): Promise<readonly string[]>;
}

export interface Load {
  readonly chats: number;
  readonly turns: number;
  readonly atOnce: number;
  /** Called when every chat has had this many turns. */
  readonly onRound?: (turns: number) => Promise<void>;
}

export interface LoadResult {
  /** How long each turn took, in ms. */
  readonly latencies: readonly number[];
  /** From the first turn to the last, in ms. */
  readonly wallMs: number;
}

export const loadedChat = (chat: number): string => `load-${chat}`;

/** So that every message is unlike every other, and easily told. */
export const loadedText = (chat: number, turn: number): string =>
  `Turn ${turn} of chat ${chat}: where did we put the tea, and who drank what was left of it?`;

/** All chats get their first turn, then their second, a few at a time. Throws what any of them throws. */
export async function loadChats(side: LoadedSide, { chats, turns, atOnce, onRound }: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const said: string[][] = Array.from({ length: chats }, () => []);
  let wallMs = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    let next = 0;
    const begun = performance.now();
    const work = async (): Promise<void> => {
      for (let chat = next++; chat < chats; chat = next++) {
        const text = loadedText(chat, turn);
        const start = performance.now();
        const reply = await side.say(loadedChat(chat), text);
        latencies.push(performance.now() - start);
        said[chat]?.push(text, reply);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    wallMs += performance.now() - begun;
    await onRound?.(turn + 1);
  }
  await checkTranscripts(side, said);
  return { latencies, wallMs };
}

async function checkTranscripts(side: LoadedSide, said: readonly (readonly string[])[]): Promise<void> {
  for (const [chat, expected] of said.entries()) {
    const found = await side.transcript(loadedChat(chat));
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    const lost = expected.filter((text) => !found.includes(text));
    const doubled = found.filter((text, index) => found.indexOf(text) !== index);
    throw new Error(`${loadedChat(chat)} has ${found.length} messages. ${JSON.stringify({ lost, doubled })}`);
  }
}

/** A daemon as a client sees it. */
export function daemonSide(url: string, token: string): LoadedSide {
  const authorization = `Bearer ${token}`;
  return {
    async say(chat, input) {
      const headers = { authorization, "content-type": "application/json" };
      const response = await fetch(`${url}/api/runs`, {
        method: "POST",
        headers,
        body: JSON.stringify({ chat, input }),
      });
      const text = await response.text();
      const last = /^data: (.*)$/m.exec(text.slice(text.lastIndexOf("\nid: ")))?.[1] ?? "null";
      const event = JSON.parse(last) as { readonly type?: string; readonly result?: { readonly text: string } } | null;
      if (event?.type !== "run:finished" || !event.result) throw new Error(`${response.status}: ${text.slice(-500)}`);
      return event.result.text;
    },
    async transcript(chat) {
      const response = await fetch(`${url}/api/chats/${chat}/transcript?limit=1000`, { headers: { authorization } });
      const { messages } = (await response.json()) as { readonly messages: readonly { readonly content: string }[] };
      return messages.map(({ content }) => content);
    },
  };
}
