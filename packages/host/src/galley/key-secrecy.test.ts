import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { dataFolder, galleyIn } from "./testing/temp-galley.ts";

const key = "sk-nobody-may-see-this-0001";

/** A provider that repeats the key wherever it can: in its error, and in what its model says. */
async function gossip(status: number): Promise<string> {
  const server = createServer((request, response) => {
    const sent = String(request.headers.authorization);
    const chunk = (content: string, end: string | null): string =>
      `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content }, finish_reason: end }] })}\n\n`;
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
    // In two pieces, so that neither of them alone is the key.
    const said = [chunk(`Your key is ${sent.slice(0, 20)}`, null), chunk(`${sent.slice(20)}.`, "stop")];
    if (status === 200) response.end(`${said.join("")}data: [DONE]\n\n`);
    else response.end(JSON.stringify({ error: { message: `Incorrect API key: ${sent}`, code: "invalid_api_key" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test.each([200, 401])(
  "[P6] a key that the provider repeats (HTTP %i) is in no event, error or file",
  async (status) => {
    const providers = [{ name: "house", baseUrl: await gossip(status), apiKey: "${HOUSE_KEY}" }];
    const data = dataFolder();
    const galley = await galleyIn(data, { config: { models: { providers } }, environment: { HOUSE_KEY: key } });
    const run = galley.run({ chat: "talk", model: "house/tiny", input: "Which key do I have?" });
    const seen: unknown[] = [];
    for await (const event of run) seen.push(event);
    const outcome: unknown = await run.result.catch((error: unknown) => error);
    const answer = await galley.turn({ chat: "talk", input: "And now?" });
    await answer.abort();
    await galley.close();

    const text = seen.map((event) => (event as { readonly delta?: string }).delta ?? "").join("");
    const shown = JSON.stringify([text, seen, outcome, answer.messages, galley.models.list()]);
    expect(shown).toContain(status === 200 ? "Your key is Bearer" : "house refused the key");
    expect(`${shown} ${String(outcome)}`).not.toContain(key);
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const text = readFileSync(join(file.parentPath, file.name), "latin1");
      expect([file.name, text.includes(key)]).toEqual([file.name, false]);
    }
  },
);

test("[P6] the password of a database is in no error that says that it cannot be opened", async () => {
  const postgres = "postgres://ines:planted%2Dpassword@127.0.0.1:1/galley";
  const error: unknown = await galleyIn(dataFolder(), { postgres }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "StoreUnavailable" });
  const everything = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
  expect(everything).toContain("127.0.0.1");
  expect(everything).not.toMatch(/planted(?:%2D|-)password/);
});
