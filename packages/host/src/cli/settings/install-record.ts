import { hash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { findDocument, removeFiles } from "../../disk/data-files.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { openUserFolder } from "../../disk/user-folder.js";

const recordSchema = z.object({
  version: z.literal(1),
  file: z.string(),
  /** What was put into the file, and what stood in its place before. */
  added: z.string(),
  replaced: z.string(),
  isNewFile: z.boolean(),
  /** Folders that were made for the file. */
  folders: z.array(z.string()),
  /** The command that wrote it, where it is not `galley mcp install`: what one has put in, the other leaves. */
  by: z.literal("attach").optional(),
});

/** What an installation has changed, so that it can be taken back to the last byte. */
export type InstallRecord = z.infer<typeof recordSchema>;

/** The record of a file; nothing when there is none that can be used. */
export function readRecord(file: string): InstallRecord | undefined {
  const place = recordFile(file);
  if (place === undefined) return undefined;
  const record = findDocument(place, recordSchema);
  return record?.file === file ? record : undefined;
}

/**
 * Makes this the record of a file, in the user's own state folder; none takes it away. Where that folder cannot be used, the entry
 * can still be taken out by its name.
 */
export async function setRecord(file: string, record: InstallRecord | undefined): Promise<void> {
  const place = recordFile(file);
  if (place === undefined) return;
  if (record) await replaceFile(place, [`${JSON.stringify(record)}\n`]);
  else removeFiles(place);
}

function recordFile(file: string): string | undefined {
  const opened = openUserFolder("state", "mcp-clients");
  return "folder" in opened ? join(opened.folder, `${hash("sha256", file, "hex").slice(0, 32)}.json`) : undefined;
}
