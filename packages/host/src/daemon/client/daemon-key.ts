import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { rm } from "node:fs/promises";
import * as z from "zod";
import { replaceFile } from "../../disk/replace-file.ts";
import { folderIdentity, readUserFile, userFile } from "../../disk/user-file.ts";

// A note can be planted: it lies in the data folder, which may come from anywhere. The key of a daemon lies in the user's own
// state folder, where only the user's programs can write, and the daemon shows that it knows the key before a command sends
// it anything else.

const keySchema = z.object({ version: z.literal(1), born: z.string(), key: z.string().regex(/^[0-9a-f]{64}$/) });

/** A challenge is a random number of this many bytes, in hexadecimal. */
const nonceBytes = 32;
export const noncePattern = /^[0-9a-f]{64}$/;

/** What a daemon answers to a challenge. Both proofs hold for the address that the daemon listens at, and for no other. */
export interface DaemonProofs {
  /** Made with the key; absent where the daemon could not keep one. */
  readonly byKey?: string;
  /** Made with the token, for people who give it to the command themselves. */
  readonly byToken: string;
}

/** The key of a running daemon. */
export interface DaemonKey {
  /** Why commands cannot have the key; absent when they can. */
  readonly problem?: string;
  proofs(nonce: string, daemon: { readonly url: string; readonly token: string }): DaemonProofs;
  /** Takes the key away with the daemon. */
  forget(): Promise<void>;
}

/** Makes a key for the daemon of a data folder, and keeps it where the user's commands find it. */
export async function makeDaemonKey(dataFolder: string): Promise<DaemonKey> {
  const kept = userFile("daemons", dataFolder);
  const byToken = (nonce: string, { url, token }: { readonly url: string; readonly token: string }): string =>
    proofOf(token, url, nonce);
  if ("problem" in kept) {
    const { problem } = kept;
    return { problem, proofs: (nonce, daemon) => ({ byToken: byToken(nonce, daemon) }), forget: async () => undefined };
  }
  const key = randomBytes(nonceBytes).toString("hex");
  const { born } = folderIdentity(dataFolder);
  await replaceFile(kept.file, [`${JSON.stringify({ version: 1, born, key })}\n`]);
  return {
    proofs: (nonce, daemon) => ({ byKey: proofOf(key, daemon.url, nonce), byToken: byToken(nonce, daemon) }),
    // One that stays opens nothing: the daemon that knows it is gone.
    forget: () => rm(kept.file, { force: true }).catch(() => undefined),
  };
}

/** The key of the daemon of a data folder; `undefined` where there is none, or why it cannot be read. */
export function readDaemonKey(dataFolder: string): { readonly key: string } | { readonly problem: string } | undefined {
  const kept = userFile("daemons", dataFolder);
  if ("problem" in kept) return kept;
  const { data } = keySchema.safeParse(readUserFile(kept.file));
  return data?.born === folderIdentity(dataFolder).born ? { key: data.key } : undefined;
}

/** The address is part of it: otherwise a server could pass the challenge on to the daemon, and its answer back. */
function proofOf(key: string, url: string, nonce: string): string {
  return createHmac("sha256", key).update(`galley daemon\n${url}\n${nonce}`).digest("hex");
}

/** Asks the server at `url` for a proof and says whether it knows the key, or the token; nothing else is sent. */
export async function isProven(
  url: string,
  known: { readonly key: string } | { readonly token: string },
  signal: AbortSignal,
): Promise<boolean> {
  const nonce = randomBytes(nonceBytes).toString("hex");
  const response = await fetch(`${url}/proof?nonce=${nonce}`, { signal, redirect: "error" });
  const given = z.object({ byKey: z.string().optional(), byToken: z.string() }).parse(await response.json());
  const [secret, proof] = "key" in known ? [known.key, given.byKey] : [known.token, given.byToken];
  const expected = Buffer.from(proofOf(secret, url, nonce));
  const shown = Buffer.from(proof ?? "");
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
