import { beforeAll, expect, test } from "vitest";
import { everyView } from "./every-view.ts";
import { type Seeded, seedStudio } from "./seed-studio.ts";
import { axeProblems, expectAccessible, expectFitsPhone, settle, useStudio } from "./use-studio.ts";

const studio = useStudio();
let seeded: Seeded;
beforeAll(async () => {
  seeded = await seedStudio(studio.daemon);
});

const views = Object.keys(everyView({ preset: "", simplePreset: "", lorePreset: "", chat: "", session: "" }));

test.each(views)(
  "checks 20, 21: axe finds nothing on %s, in theme × language and small, where it only scrolls down",
  async (view) => {
    const page = await studio.open(everyView(seeded)[view] ?? "");
    await settle(page);
    await expectFitsPhone(page);
    await expectAccessible(page);
  },
);

test("axe is really run: a page with a fault has it found", async () => {
  const page = await studio.open("/");
  await page.evaluate(() => document.body.append(document.createElement("img"), document.createElement("button")));
  expect((await axeProblems(page)).join()).toMatch(/image-alt.*button-name|button-name.*image-alt/s);
});
