import { hash } from "node:crypto";

/** The platform's own hash: the same figure as the engine's, sooner. It stands here because all floors that hash reach it. */
export function sha256(text: string | Uint8Array): string {
  return hash("sha256", text, "hex");
}
