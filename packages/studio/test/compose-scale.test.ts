import type { Preset } from "@galley/engine";
import { expect, test } from "vitest";
import { openPreset, step, steps } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

const templates = Array.from({ length: 408 }, (_, index) => ({
  id: `template-${index + 1}`,
  role: "system" as const,
  content: `Entry ${index + 1} of a large world book. `.repeat(6).trim(),
}));

const large: Preset = {
  messageTemplates: [...templates, { id: "history", type: "chat_history", role: "user" }],
  contextRecipes: [
    {
      id: "default",
      modelFilter: ["*"],
      steps: [
        ...templates.slice(0, 60).map(({ id }, index) => ({
          messageId: id,
          enabled: true,
          ...(index % 5 === 4 ? { injectionStrategy: { depth: index } } : {}),
        })),
        { messageId: "history", enabled: true },
        ...templates.slice(60, 64).map(({ id }) => ({ messageId: id, enabled: true })),
      ],
    },
  ],
};

test("check 22: 408 templates, 65 steps and 3,001 messages: an edit is seen soon, with few elements in the page", async () => {
  const { page } = await openPreset(studio, {
    preset: large,
    messages: 3001,
    words: 40,
    model: "gpt-4.1",
    query: "&budget=1000000",
  });
  expect(await steps(page)).toHaveLength(65);
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(5000);
  await step(page, "template-1").getByRole("button", { name: "Settings of template-1" }).click();
  await page.getByRole("radio", { name: "Depth" }).check({ force: true });
  const field = page.getByRole("textbox", { name: "Depth" });
  const times: { edit: number; engine: number }[] = [];
  for (const depth of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await field.fill(String(depth));
    times.push(await page.evaluate(measureEdit, depth));
  }
  const middle = times.map(({ edit, engine }) => edit / engine).sort((a, b) => a - b)[4] ?? Infinity;
  process.stdout.write(`check 22: ${JSON.stringify(times)} ratio ${middle.toFixed(2)}\n`);
  expect(times.every(({ edit }) => edit < 1000)).toBe(true);
});

/** From the key that ends the edit to the next picture with the new tag, and how long the engine took of it. */
async function measureEdit(depth: number): Promise<{ edit: number; engine: number }> {
  const field = document.querySelector<HTMLInputElement>("[data-step=template-1] input[inputmode]");
  field?.focus();
  const start = performance.now();
  field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  field?.blur();
  for (;;) {
    const tag = document.querySelector("[data-step=template-1] [data-testid=strategy-tag]");
    if (tag?.textContent === `Depth: ${depth}`) break;
    await new Promise((resolve) => setTimeout(resolve));
  }
  const edit = performance.now() - start;
  return { edit, engine: Number(document.querySelector("[data-engine-ms]")?.getAttribute("data-engine-ms")) };
}
