import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();
const log = fileURLToPath(new URL("../../../examples/agent-log.jsonl", import.meta.url));
const card = fileURLToPath(new URL("../../../examples/sillytavern-card.json", import.meta.url));

test("a SillyTavern card is read, shown, saved, and opens in Compose and as a chat", async () => {
  const page = await studio.open("/import");
  await page.setInputFiles("input[type=file]", card);
  await page.getByRole("region", { name: "Files" }).getByText("Card", { exact: true }).waitFor();
  const report = page.getByRole("region", { name: "What becomes of it" });
  await expect.poll(() => report.getByRole("row").count()).toBeGreaterThan(3);
  const preview = page.getByRole("region", { name: "What a model would read" });
  await expect.poll(() => preview.getByText("Mara keeps the lighthouse").count()).toBeGreaterThan(0);
  await expect.poll(() => preview.getByText("Nothing is saved yet.").count()).toBe(1);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as Mara.").waitFor();
  await expect.poll(() => preview.getByText("Nothing is saved yet.").count()).toBe(0);
  const { preset } = await studio.daemon.ask("presets.get", { params: { id: "Mara" } });
  expect(preset.messageTemplates?.length).toBeGreaterThan(3);
  const { messages } = await studio.daemon.ask("chats.active", { params: { key: "Mara" } });
  expect(messages).toHaveLength(1);
  await page.getByRole("link", { name: "Open in Compose" }).click();
  await page.waitForURL("**/compose/Mara");
});

test("[L1] a log of an agent becomes a session, whose calls Inspect shows", async () => {
  const page = await studio.open("/import");
  await page.setInputFiles("input[type=file]", log);
  await page.getByRole("region", { name: "Sessions" }).getByRole("link", { name: "Sunday ferries" }).click();
  await page.waitForURL("**/sessions/claude-code%3A5c1f2a9e-7d40-4b1e-9c55-2f6d1e0a7b31/calls/6");
  await page.getByText("1 passed").first().waitFor();
  const { calls } = await studio.daemon.ask("sessions.get", {
    params: { id: "claude-code:5c1f2a9e-7d40-4b1e-9c55-2f6d1e0a7b31" },
  });
  expect(calls.map(({ compacted }) => compacted)).toEqual([false, false, false, false, true, false]);
  expect(calls.at(-1)).toMatchObject({ turn: 2, callOfTurn: 3, usage: { outputTokens: 60 }, model: "claude-opus-4-7" });
});

test("a long import keeps Save in sight, and says where in whole words", async () => {
  const page = await studio.open("/import", { size: { width: 1280, height: 800 } });
  await page.setInputFiles("input[type=file]", card);
  const where = page.getByRole("cell", { name: /: creator$/ });
  await where.waitFor();
  expect((await where.boundingBox())?.width).toBeGreaterThan(200);
  await expect.poll(() => page.getByText("Also keep its one message as a chat").count()).toBe(1);
  const save = page.getByRole("button", { name: "Save", exact: true });
  const { y = 0, height = 0 } = (await save.boundingBox()) ?? {};
  expect([y > 0, y + height <= 800]).toEqual([true, true]);
});

test("a name that is taken is asked about, and becomes the next version", async () => {
  const page = await studio.open("/import");
  await page.setInputFiles("input[type=file]", card);
  await page.getByLabel("Name of the preset").fill("Twice");
  await page.getByText(/Also keep its/).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as Twice.").waitFor();
  await page.getByRole("button", { name: "Import something else" }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose files" }).click(),
  ]);
  await chooser.setFiles(card);
  await page.getByLabel("Name of the preset").fill("Twice");
  await page.getByText(/Also keep its/).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save as its next version" }).click();
  await page.getByText("Saved as Twice.").waitFor();
  expect((await studio.daemon.ask("presets.get", { params: { id: "Twice" } })).version).toBe(2);
});

test("check 36: a card is talked to in one step; imported again, it replaces its chat after a question, and nothing is doubled", async () => {
  const page = await studio.open("/import");
  const talk = async (): Promise<void> => {
    await page.setInputFiles("input[type=file]", card);
    for (const label of ["Name of the preset", "Name of the chat"]) {
      await page.getByLabel(label).click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("Talker");
    }
    await page.getByRole("button", { name: "Talk to it" }).click();
  };
  const said = async (): Promise<readonly unknown[]> => {
    const { messages } = await studio.daemon.ask("chats.transcript", { params: { key: "Talker" } });
    return messages.map(({ role }) => role);
  };
  await talk();
  await page.waitForURL("**/chats/Talker");
  await page.getByRole("textbox", { name: "Message", exact: true }).click();
  await page.keyboard.type("Good evening.");
  await page.keyboard.press("Enter");
  await expect.poll(said).toEqual(["assistant", "user", "assistant"]);
  const { preset } = await studio.daemon.ask("chats.get", { params: { key: "Talker" } });
  expect(preset).toBe("Talker");
  await page.goto(`${studio.daemon.url}/import`);
  await talk();
  const alert = page.getByRole("alert");
  await expect.poll(() => alert.innerText()).toContain("There is a chat Talker already. Replacing deletes it");
  await alert.getByRole("button", { name: "Replace" }).click();
  await page.waitForURL("**/chats/Talker");
  await expect.poll(said).toEqual(["assistant"]);
});

/** A chat as SillyTavern writes it: a header, then lines with names, other answers, a narrator and a hidden line. */
const tavernChat = [
  { user_name: "Tom", character_name: "Ada", chat_metadata: {} },
  { name: "Ada", is_user: false, mes: "Who is there?" },
  { name: "Tom", is_user: true, mes: "Only me." },
  { name: "Ada", is_user: false, mes: "Come in.", swipes: ["Come in.", "Go away."], swipe_id: 0 },
  { name: "System", is_user: false, is_system: false, mes: "The fog comes.", extra: { type: "narrator" } },
  { name: "Tom", is_user: true, is_system: true, mes: "A thought." },
  { name: "Tom", is_user: true, mes: "Thank you." },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

test("[X1b] a chat keeps speakers, other answers, narrators and hidden lines; imported again, it is replaced", async () => {
  const page = await studio.open("/import");
  const params = { key: "Ada" };
  const keep = async (): Promise<void> => {
    const buffer = Buffer.from(tavernChat);
    await page.setInputFiles("input[type=file]", { name: "Ada.jsonl", mimeType: "application/jsonl", buffer });
    await page.getByText("Also keep its 4 messages and 2 other lines as a chat").waitFor();
    await page.getByRole("button", { name: "Talk to it" }).click();
  };
  const kept = async (): Promise<unknown> => {
    const { messages } = await studio.daemon.ask("chats.transcript", { params });
    const { alternates } = await studio.daemon.ask("chats.alternates", { params });
    const { entries } = await studio.daemon.ask("turns.preview", { query: { chat: "Ada" } });
    return {
      said: messages.map(({ said }) => said?.by),
      others: alternates.map(({ content }) => content),
      read: entries.map((one) => (one.type === "message" ? one["message"] : one.type)),
    };
  };
  const whole = {
    said: ["Ada", "Tom", "Ada", "Tom"],
    others: ["Go away."],
    read: [
      { role: "assistant", content: "Who is there?" },
      { role: "user", content: "Only me." },
      { role: "assistant", content: "Come in." },
      { role: "system", content: "The fog comes." },
      "custom",
      { role: "user", content: "Thank you." },
    ],
  };
  await keep();
  await page.waitForURL("**/chats/Ada");
  await expect.poll(kept).toEqual(whole);
  const speakers = page.locator("article[data-message] h3");
  await expect.poll(() => speakers.allInnerTexts()).toEqual(whole.said);
  await page.goto(`${studio.daemon.url}/import`);
  await keep();
  await page.getByRole("alert").getByRole("button", { name: "Replace" }).click();
  await page.waitForURL("**/chats/Ada");
  await expect.poll(kept).toEqual(whole);
});

test("[X1b] a card that came in goes out again, as JSON and as a picture", async () => {
  const page = await studio.open("/import?tab=export&preset=Mara");
  const [json] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download as JSON" }).click(),
  ]);
  expect(JSON.parse(readFileSync(await json.path(), "utf8"))).toEqual(JSON.parse(readFileSync(card, "utf8")));
  const [picture] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download as PNG" }).click(),
  ]);
  expect(
    readFileSync(await picture.path())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
});

test("check 18: a preset goes out to SillyTavern and comes back as an equal document", async () => {
  const page = await studio.open("/import?tab=export&preset=Mara");
  const [first] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download for SillyTavern" }).click(),
  ]);
  const exported = JSON.parse(readFileSync(await first.path(), "utf8")) as { readonly name?: string };
  await page.goto(`${studio.daemon.url}/import`);
  await page.setInputFiles("input[type=file]", {
    name: "back.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(exported)),
  });
  await page.getByText("SillyTavern preset", { exact: true }).waitFor();
  await page.getByLabel("Name of the preset").fill("Back");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as Back.").waitFor();
  await page.goto(`${studio.daemon.url}/import?tab=export&preset=Back`);
  const [second] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download for SillyTavern" }).click(),
  ]);
  expect(JSON.parse(readFileSync(await second.path(), "utf8"))).toEqual(exported);
  await page.goto(`${studio.daemon.url}/import`);
  await page.setInputFiles("input[type=file]", {
    name: "back.json",
    mimeType: "application/json",
    buffer: readFileSync(await second.path()),
  });
  await page.getByLabel("Name of the preset").fill("Again");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as Again.").waitFor();
  const [back, again] = await Promise.all(
    ["Back", "Again"].map((id) => studio.daemon.ask("presets.get", { params: { id } })),
  );
  expect(again?.preset.messageTemplates?.length).toBeGreaterThan(5);
  expect(again?.preset).toEqual(back?.preset);
});

test("what cannot be read says why, and nothing else is lost", async () => {
  const page = await studio.open("/import");
  await page.setInputFiles("input[type=file]", [
    { name: "noise.bin", mimeType: "application/octet-stream", buffer: Buffer.from([1, 2, 3]) },
    { name: "mara.json", mimeType: "application/json", buffer: readFileSync(card) },
  ]);
  await page.getByRole("alert").first().waitFor();
  await expect.poll(() => page.getByText("Mara keeps the lighthouse").count()).toBeGreaterThan(0);
});

test("axe finds nothing while importing, in theme × language; narrow screens need no sideways scroll", async () => {
  const page = await studio.open("/import");
  await page.setInputFiles("input[type=file]", card);
  await page.locator("table").waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
});
