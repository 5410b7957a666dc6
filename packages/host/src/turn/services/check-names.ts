import { GalleyError, type Secrets, redactText } from "@galley/engine";

/** Refuses names that hold a secret: they would be written as they are, into records and as names of files [P6]. */
export function checkNames(names: Readonly<Record<string, string | null | undefined>>, secrets: Secrets): void {
  for (const [path, name] of Object.entries(names)) {
    if (typeof name !== "string") continue;
    const shown = redactText(name, secrets);
    if (shown === name) continue;
    throw new GalleyError("InvalidId", `${JSON.stringify(shown)} holds a secret and cannot be a name.`, {
      path,
      hint: "Choose another name. A key belongs into the environment or into galley.config.",
    });
  }
}
