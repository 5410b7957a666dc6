import { posix } from "node:path";

interface Addressed {
  readonly repository?: { readonly url: string };
}

/** Where the project can be read by everyone: the `repository` of the workspace's own manifest, which has none yet. */
export function publicAddress({ repository }: Addressed): string | undefined {
  return repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** What a package says about where it comes from: nothing, rather than an address that leads nowhere. */
export function addressFields(address: string | undefined, folder: string): object {
  if (address === undefined) return {};
  const repository = { type: "git", url: `git+${address}.git`, directory: `packages/${folder}` };
  return { homepage: `${address}#readme`, repository };
}

/** A README outside of the checkout: its links lead to the public address, or are the words alone. */
export function publishedReadme(text: string, address: string | undefined, folder: string): string {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:)([^)]+)\)/g, (_, words: string, link: string) =>
    address === undefined ? words : `[${words}](${address}/blob/main/${posix.join("packages", folder, link)})`,
  );
}
