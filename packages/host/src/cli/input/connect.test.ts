import { expect, test } from "vitest";
import { smallAgent } from "../../daemon/testing/temp-agent-host.ts";
import { type DaemonClient, daemonClient } from "../../daemon/client/daemon-client.ts";
import { testDaemon } from "../../daemon/testing/temp-daemon.ts";
import { readNote } from "../../daemon/client/data-owner.ts";
import { promptInDaemon } from "./connect.ts";

test("[I9] a person who changes their mind while the prompt is on its way ends the prompt all the same", async () => {
  const own = await testDaemon({ galley: { config: { agents: [smallAgent("wait-for-cancel")] } } });
  const note = readNote(own.data);
  if (!note) throw new Error("The daemon has left no note.");
  const client = daemonClient(note);
  const leaving = new AbortController();
  const answers: unknown[] = [];
  const asked = Promise.withResolvers<void>();
  const slow: DaemonClient = {
    async call(name, input) {
      const answer = await client.call(name, input);
      if (name === "agents.cancel") {
        answers.push(answer);
        asked.resolve();
      }
      return answer;
    },
    async *stream(name, input, options) {
      leaving.abort();
      await asked.promise;
      yield* client.stream(name, input, options);
    },
  };
  const prompted = promptInDaemon(slow, {
    name: "mara",
    text: "Wait.",
    signal: leaving.signal,
    cancelLimitMs: 60_000,
    onUpdate: () => undefined,
  });
  expect(await prompted).toMatchObject({ stopReason: "cancelled" });
  expect(answers).toContainEqual({ wasBusy: false });
  expect(answers.at(-1)).toEqual({ wasBusy: true });
});
