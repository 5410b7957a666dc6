import { readFileSync } from "node:fs";
import { GalleyError } from "@galley/engine";

// Beside src and beside dist alike, so that a checkout and an installed package find the same folder.
const folder = new URL("../../../prompts/", import.meta.url);
const templateName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A prompt template of Galley by its name, with or without `.md`. */
export function loadTemplate(name: string): string {
  const bare = name.replace(/\.md$/, "");
  // Names from outside must not reach other files.
  if (!templateName.test(bare)) throw missing(name);
  try {
    return readFileSync(new URL(`${bare}.md`, folder), "utf8");
  } catch (cause) {
    throw missing(name, cause);
  }
}

function missing(name: string, cause?: unknown): GalleyError {
  return new GalleyError("NotFound", `There is no prompt template ${JSON.stringify(name)}.`, {
    path: name,
    hint: "Templates are core-identity, canvas-context and tool-instructions.",
    cause,
  });
}

/**
 * Puts values in the place of `{{name}}`. Names without a value become empty [C10]; what looks like a placeholder inside
 * a value stays as it is.
 */
export function renderTemplate(template: string, vars: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([^{}]*)\}\}/g, (_, inner: string) => {
    const name = inner.trim();
    return Object.hasOwn(vars, name) ? (vars[name] ?? "") : "";
  });
}
