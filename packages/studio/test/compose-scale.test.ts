import type { Preset } from "@galley/engine";
import { expect, test } from "vitest";
import { openPreset, steps } from "./compose-fixture.ts";
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
  const options = { preset: large, messages: 3001, words: 40, model: "gpt-4.1", query: "&budget=1000000" };
  const { page } = await openPreset(studio, options);
  const fromNothing = Number(await page.locator("[data-engine-ms]").getAttribute("data-engine-ms"));
  expect(await steps(page)).toHaveLength(65);
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(5000);
  const times = await page.evaluate(measureEdits, 15);
  const edit = median(times.map((time) => time.edit));
  const engine = median(times.map((time) => time.engine));
  const figures = { fromNothing, engine, edit, ofNothing: edit / fromNothing, ofEngine: edit / engine };
  process.stdout.write(`check 22, ms and ratios: ${JSON.stringify(figures)}\n`);
  // The engine's own time for this build when it remembers nothing of the build before.
  expect(edit).toBeLessThan(3 * fromNothing);
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Infinity;
}

interface EditTime {
  readonly edit: number;
  readonly engine: number;
}

/** Switches a step off and on: how long until the page shows it, and how long the engine took of that. Runs in the page. */
async function measureEdits(count: number): Promise<readonly EditTime[]> {
  const field = document.querySelector<HTMLInputElement>("[data-step=template-1] [role=switch]");
  const shown = (): string => document.querySelector("[data-testid=message-count]")?.textContent ?? "";
  const times: EditTime[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = shown();
    const start = performance.now();
    field?.click();
    while (shown() === before) await Promise.resolve();
    const edit = performance.now() - start;
    times.push({ edit, engine: Number(document.querySelector<HTMLElement>("[data-engine-ms]")?.dataset["engineMs"]) });
    // A person looks at it, and what could wait is done.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return times;
}
