import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addressFields, publicAddress, publishedReadme } from "./package-address.ts";

const root = new URL("../", import.meta.url);
const address = "https://example.com/ship/galley";

test("[J4] a package names the public address of the workspace, and none where there is none", () => {
  expect(publicAddress({})).toBeUndefined();
  expect(addressFields(undefined, "engine")).toEqual({});
  expect(publicAddress({ repository: { url: `git+${address}.git` } })).toBe(address);
  expect(addressFields(address, "engine")).toEqual({
    homepage: `${address}#readme`,
    repository: { type: "git", url: `git+${address}.git`, directory: "packages/engine" },
  });
});

test.each(["engine", "host"])(
  "[J4] the links of the README of %s lead to files, and are absolute or words",
  (folder) => {
    const text = readFileSync(new URL(`packages/${folder}/README.md`, root), "utf8");
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(2);
    const placeOf = (link: string): string => fileURLToPath(new URL(`packages/${folder}/${link}`, root));
    expect(links.filter((link) => !existsSync(placeOf(link)))).toEqual([]);
    const published = publishedReadme(text, address, folder);
    expect(published).toContain(`](${address}/blob/main/docs/`);
    expect(published.match(/\]\((?!https:)/g)).toBeNull();
    expect(publishedReadme(text, undefined, folder)).not.toContain("](");
  },
);
