import { commandPage } from "./command-page.ts";

/** The pages of docs/ that are made from the code, by name. */
export function writtenPages(): Record<string, string> {
  return { "command.md": commandPage() };
}
