// The engine alone: compose a preset and a session, and ask where a message came from.
import { readFileSync } from "node:fs";
import { composePreset, parsePreset, parseSession, provenance, view } from "@galley/engine";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const { preset } = parsePreset(read("recipes.json"));
const { messages: history } = view(parseSession(read("session.jsonl")).entries);

const { messages, ledger } = composePreset({ preset, history, model: "gpt-6.1-sol" });
for (const [index, rows] of provenance(ledger).entries()) {
  process.stdout.write(`${messages[index]?.role} from ${rows.map((row) => row.id).join(" + ")}\n`);
}
