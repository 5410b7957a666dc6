import { expect, test } from "vitest";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();

test("[86] a profile is made and edited, and a task given with a chat as its context and a model; each leads to the other", async () => {
  await studio.daemon.ask("runs.start", { body: { chat: "light", model: "demo", input: "The lighthouse is dark." } });
  const page = await studio.open("/boxes");
  await page.getByRole("button", { name: "New profile" }).click();
  await page.keyboard.type("writer");
  await page.getByLabel("Who the agent is and how it works").fill("You write.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Edit writer" }).click();
  await page.getByLabel("Who the agent is and how it works").fill("You write short, plain sentences.");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[data-profile=writer]").getByText("You write short, plain sentences.").waitFor();
  // From the chat, by its button, with the keyboard.
  await page.goto(`${studio.daemon.url}/chats/light`);
  await page.getByRole("button", { name: "Hand over" }).press("Enter");
  await expect.poll(() => page.getByRole("button", { name: /What it reads first/ }).innerText()).toContain("The light");
  await page.getByLabel("What it is to do").click();
  await page.keyboard.type("Describe the lighthouse.");
  await page.getByRole("combobox", { name: "Model" }).fill("demo");
  await page.getByLabel("What it is to do").press("Control+Enter");
  const task = page.getByRole("article", { name: "Describe the lighthouse." });
  await task.getByText("succeeded").waitFor();
  await task.getByRole("button", { name: "What its model read" }).click();
  const read = task.getByRole("list", { name: "What its model read" });
  await read.getByText("You write short, plain sentences.").waitFor();
  await read.getByText("The lighthouse is dark.", { exact: true }).waitFor();
  // Back to the chat, where its card stands, and from there to what the agent saw.
  await task.getByRole("link", { name: "The lighthouse is dark." }).click();
  const card = page.getByRole("region", { name: "Handed over by you" }).getByRole("article");
  await card.getByText("The model gets this with your next message.").waitFor();
  await card.getByRole("link", { name: "What it saw" }).click();
  await page.getByText("What writer saw for “Describe the lighthouse.”").waitFor();
  await expect.poll(() => page.locator("[data-card]").count()).toBeGreaterThan(2);
  expect(await page.locator("main").innerText()).not.toContain("parent_agent_id");
  // A box is handed over as well.
  await page.getByRole("link", { name: "Hand over" }).click();
  await page.getByLabel("What it is to do").fill("Say it in one word.");
  await page.getByRole("button", { name: "Hand it over" }).click();
  const next = page.getByRole("article", { name: "Say it in one word." });
  await next.getByText("succeeded").waitFor();
  await next.getByRole("link", { name: /card/ }).first().click();
  await page.getByText("The lighthouse is dark.", { exact: true }).waitFor();
});

test("[87] a task of a chat is a card that fills in, without ids, and leads to the tree and to what was seen", async () => {
  const page = await studio.open("/chats/ships");
  await page.evaluate(() => {
    new MutationObserver(() => {
      const { body } = document;
      const count = document.querySelectorAll("[data-task]").length;
      body.dataset["mostCards"] = String(Math.max(count, Number(body.dataset["mostCards"] ?? 0)));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByPlaceholder(/Say something/).click();
  await page.keyboard.type("delegate to writer: Count the ships.");
  await page.keyboard.press("Enter");
  // As the run ends, its card goes over to the reply.
  const card = page.locator("[data-role=assistant]").getByRole("article", { name: "Task for writer" });
  await card.getByText("succeeded").waitFor();
  await card.getByText(/You said: “Count the ships.”/).waitFor();
  // It never stands there twice, not even for a moment.
  expect(await page.evaluate(() => document.body.dataset["mostCards"])).toBe("1");
  const said = await page.getByRole("region", { name: "Conversation" }).innerText();
  expect(said).not.toMatch(/task_id|agent_id|box_id|[{}]/);
  await card.getByRole("link", { name: "Who asked whom" }).click();
  const task = page.getByRole("article", { name: "Count the ships." });
  await expect.poll(() => task.getByRole("heading").innerText()).toBe("writer");
  await task.getByRole("link", { name: "delegate to writer: Count the ships." }).click();
  await card.waitFor();
});

test("a long task is cut where it fades, and shown whole on request", async () => {
  const page = await studio.open("/chats/long-task");
  await page.getByPlaceholder(/Say something/).click();
  await page.keyboard.insertText(
    `delegate to writer: ${"Count every ship in the harbour, twice. ".repeat(60)}The end.`,
  );
  await page.keyboard.press("Enter");
  const card = page.locator("[data-role=assistant]").getByRole("article", { name: "Task for writer" });
  await card.getByText("succeeded").waitFor();
  const all = card.getByRole("button", { name: "Show all" }).first();
  await all.focus();
  const before = (await card.boundingBox())?.height ?? 0;
  await page.keyboard.press("Enter");
  await card.getByRole("button", { name: "Show less" }).waitFor();
  expect((await card.boundingBox())?.height).toBeGreaterThan(before + 100);
});

test("a profile is made and removed", async () => {
  const page = await studio.open("/boxes");
  await page.getByRole("button", { name: "New profile" }).click();
  await page.getByLabel("Name").fill("helper");
  await page.getByLabel("Who the agent is and how it works").fill("You help.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove helper" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => page.locator("[data-profile]").allTextContents()).toHaveLength(1);
});

test("in Chinese, the states are said in Chinese", async () => {
  const page = await studio.open("/boxes", { language: "zh" });
  await expect
    .poll(() => page.getByRole("listitem").filter({ hasText: "Describe the lighthouse." }).innerText())
    .toContain("已完成");
});

test("a box that does not exist says so", async () => {
  const page = await studio.open("/boxes/nothing", { expects: ["not found"] });
  await page.getByRole("alert").waitFor();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("NotFound");
});

test("axe finds nothing in theme × language, and 390 px are enough", async () => {
  const page = await studio.open("/boxes");
  const link = page.getByRole("link", { name: "Describe the lighthouse." });
  await link.waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Switch to English" }).click();
  await link.click();
  await page.getByRole("article").first().waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
});
