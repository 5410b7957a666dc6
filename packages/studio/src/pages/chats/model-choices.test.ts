import { expect, test } from "vitest";
import { modelChoices } from "./model-choices.ts";

test("what can be used comes first, and the chosen one is always there", () => {
  const models = [
    ...Array.from({ length: 100 }, (_, index) => ({ id: `locked-${index}`, usable: false })),
    { id: "demo", usable: true },
  ];
  const ids = modelChoices(models, "locked-99").map(({ id }) => id);
  expect(ids[0]).toBe("demo");
  expect(ids.at(-1)).toBe("locked-99");
  expect(ids).toHaveLength(42);
  expect(modelChoices(models, "unheard-of")[0]).toEqual({ id: "unheard-of", usable: false });
});
