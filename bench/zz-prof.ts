import { ContextManager, loadTokenizer, digestOf } from "@galley/engine";
import * as s from "./sessions.ts";
const t = await loadTokenizer("o200k_base");
const mode = process.argv[2],
  maxInputTokens = Number(process.argv[3]);
if (mode === "turn") {
  const log: any[] = s.freshSession(3000);
  const m = new ContextManager({ config: { maxInputTokens }, tokenizer: t, systemPrompt: s.systemPrompt });
  const pairs = Array.from({ length: 3000 }, (_, i) => s.freshPair(i));
  let n = 0;
  async function turnLoop() {
    for (const pair of pairs) {
      for (const x of pair) log.push(s.entryOf(`n${n++}`, x));
      const r = await m.buildContext({ sessionEntries: log, toolSpecs: s.toolSpecs });
      for (const e of r.entriesToAppend) log.push(e);
    }
  }
  await turnLoop();
} else {
  const sessions = Array.from({ length: 20 }, () => s.freshSession(10000));
  async function coldLoop() {
    for (const x of sessions) {
      const m = new ContextManager({ config: { maxInputTokens }, tokenizer: t, systemPrompt: s.systemPrompt });
      const r = await m.buildContext({ sessionEntries: x, toolSpecs: s.toolSpecs });
      digestOf(r.build);
    }
  }
  await coldLoop();
}
