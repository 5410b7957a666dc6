import { appendFileSync, copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openChat } from "../../chat/open-chat.ts";
import { messageId } from "../../chat/lines/chat-line.ts";
import { calibrationFile } from "../../models/calibration-file.ts";
import { doctor } from "../../chat/doctor/doctor.ts";
import { smallAgent } from "./temp-agent-host.ts";
import { testDaemon } from "./temp-daemon.ts";

/**
 * A data folder in which everything was used that writes there: chats, archives, pictures, presets, runs, canvases, notes,
 * locks, logs, repairs, redactions. Gives the names that were in it at any time, also those that go with the daemon.
 */
export async function useDataFolder(data: string): Promise<readonly string[]> {
  const own = await testDaemon({ galley: { data, config: { agents: [smallAgent()] } } });
  const params = { key: "a" };
  const image = { type: "image", image: Buffer.from("png").toString("base64"), mediaType: "image/png" } as const;
  const said = [
    { role: "user", content: [image] },
    { role: "assistant", content: "It is a lamp." },
  ] as const;
  await own.call("chats.add", { params, body: { messages: [...said] } });
  await own.call("chats.new", { params, body: {} });
  await own.call("chats.search", { params, query: { q: "lamp" } });
  await own.call("chats.settings", { params, body: { model: "demo" } });
  await own.call("presets.save", { params: { id: "p" }, body: { preset: { presetMessages: [] }, expectedVersion: 0 } });
  await own.events("runs.start", { body: { chat: "a", input: "Say something." } });
  await own.call("agents.start", { params: { name: "mara" } });
  const headers = { authorization: `Bearer ${own.token}`, "content-type": "application/json" };
  const call = { jsonrpc: "2.0", id: 1, method: "canvas.update", params: { html: "<p>x</p>" } };
  await fetch(`${own.url}/rpc`, { method: "POST", headers, body: JSON.stringify(call) });
  const live = namesBelow(data);
  await own.daemon.close();
  const chat = await openChat(data, "a");
  const [last] = chat.window().messages.slice(-1);
  if (last) await chat.redact(messageId(last));
  await chat.close();
  const calibration = calibrationFile(data);
  calibration.observe({ model: "demo", estimated: 1000, reported: 1100 });
  await calibration.idle();
  // Half a line is set aside, a damaged one is moved to quarantine.
  appendFileSync(join(chat.folder, "conversations", "history.jsonl"), 'damaged\n{"v":1,"ts":');
  await doctor(data, { fix: true });
  copyFileSync(join(data, "galley.sqlite"), join(data, "galley.sqlite.v1"));
  return [...new Set([...live, ...namesBelow(data)])].toSorted();
}

export function namesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}
