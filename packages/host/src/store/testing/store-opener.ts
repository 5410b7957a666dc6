// A process of its own that opens a store and writes to it: node store-opener.ts OPTIONS NAME
import { type StoreOptions, openStore } from "../open-store.ts";
import { startOf } from "./store-samples.ts";

const [options = "{}", name = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(options) as StoreOptions);
const message = { role: "user", content: name } as const;
await store.sessions.append({ projectId: "p", sessionId: "s" }, [{ id: name, ts: 1, type: "message", message }]);
await store.tasks.start(startOf("p", [{ id: name }]));
await store.close();
process.stdout.write(`done ${name}`);
