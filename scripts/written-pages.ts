import { apiReference } from "./api-reference.ts";
import { commandPage } from "./command-page.ts";

/** The pages of docs/ that are made from the code, by name. */
export const writtenPages: Record<string, () => string | Promise<string>> = {
  "command.md": commandPage,
  "api.md": apiReference,
};
