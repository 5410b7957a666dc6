import { expect, test } from "vitest";
import { expandEnvironment } from "./expand-environment.ts";

const environment = { TOKEN: "s3cret", EMPTY: "", HOME: "/home/mara" };

test.each([
  ["${TOKEN}", "s3cret"],
  ["Bearer ${TOKEN}!", "Bearer s3cret!"],
  ["${EMPTY}", ""],
  ["${EMPTY:-none}", "none"],
  ["${UNSET:-}", ""],
  ["${UNSET:-http://x:1/}", "http://x:1/"],
  ["${TOKEN:-none}", "s3cret"],
  ["$TOKEN ${not a name} ${", "$TOKEN ${not a name} ${"],
  ["${HOME}/bin", "/home/mara/bin"],
])("%s becomes %s", (text, expected) => {
  expect(expandEnvironment(text, { environment, path: "x" })).toBe(expected);
});

test("a variable that is not set is named, with the place", () => {
  expect(() => expandEnvironment("${UNSET}", { environment, path: "mcpServers.a.env.B" })).toThrow(
    expect.objectContaining({
      code: "ConfigInvalid",
      path: "mcpServers.a.env.B",
      message: expect.stringContaining("UNSET"),
    }),
  );
});

test("[P6] values that were put in are told, so that they can be masked; those of HOME and the like are not", () => {
  const told: string[][] = [];
  const onValue = (...pair: string[]): void => void told.push(pair);
  expandEnvironment("${TOKEN} ${HOME} ${UNSET:-x}", { environment, path: "x", onValue });
  expect(told).toEqual([["TOKEN", "s3cret"]]);
});
