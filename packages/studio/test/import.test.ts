import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();
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

test("a long import keeps Save in sight, and says where in whole words", async () => {
  const page = await studio.open("/import", { size: { width: 1280, height: 800 } });
  await page.setInputFiles("input[type=file]", card);
  const where = page.getByRole("cell", { name: /creator_notes/ });
  await where.waitFor();
  expect((await where.boundingBox())?.width).toBeGreaterThan(200);
  expect(await page.getByText("Also keep its one message as a chat").count()).toBe(1);
  const save = page.getByRole("button", { name: "Save", exact: true });
  const { y = 0, height = 0 } = (await save.boundingBox()) ?? {};
  expect([y > 0, y + height <= 800]).toEqual([true, true]);
});

test("a name that is taken is asked about, and becomes the next version", async () => {
  const page = await studio.open("/import", { expects: ["conflict"] });
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
    name: "again.json",
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
