import { navigate } from "./location.tsx";
import { pathTo } from "./routes.ts";

/** A chat comes to be with the first thing that is said in it, which also names it. */
export function openNewChat(): void {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => (byte % 36).toString(36));
  navigate(pathTo("chats", { key: `chat-${letters.join("")}` }));
}
