import { loadTokenizer, tokenAccount, exportFor } from "@galley/engine";
import { promptTsxFit } from "./prompt-tsx.ts";
import { freshSession } from "./sessions.ts";
const account = tokenAccount(await loadTokenizer("o200k_base"));
const fit = await promptTsxFit(account, "system text", 8000);
const e = freshSession(3000).slice(2200, 2300);
const out = await fit(e);
console.log(out.length, account.countInput(out).tokens, out.slice(0, 3).map((m) => JSON.stringify(m).slice(0, 150)));
try { exportFor("openai-chat", { messages: out }); console.log("ok"); } catch (x) { console.log(x.message.slice(0, 600)); }
