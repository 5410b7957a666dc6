// A session that outgrows its window: turn by turn, what is sent stays under the budget, and nothing is lost from the log.
import { ContextManager, type SessionEntry, digestOf, extractiveCompactor, loadTokenizer } from "@galley/engine";

const manager = new ContextManager({
  config: { maxInputTokens: 600 },
  tokenizer: await loadTokenizer("o200k_base"),
  compactor: extractiveCompactor(),
  systemPrompt: "You keep the log of the airship Heron.",
});

const session: SessionEntry[] = [];
for (let day = 1; day <= 24; day += 1) {
  const question = `Day ${day}: we burned ${30 + day} litres of kerosene over ${400 + 10 * day} kilometres. What is the rate?`;
  const turn = await manager.buildContext({
    sessionEntries: session,
    inputMessages: [{ role: "user", content: question }],
  });
  session.push(...turn.entriesToAppend);
  // Here a model would be asked with turn.modelMessages; its answer is an entry like any other.
  const answer = `On day ${day} it was ${((30 + day) / (4 + day / 10)).toFixed(1)} litres for every hundred kilometres.`;
  session.push({ id: `answer-${day}`, ts: day, type: "message", message: { role: "assistant", content: answer } });
  const { inputTokens, messageCount, droppedMessagesCount } = turn.stats;
  const note = turn.compacted ? "  ← compacted" : "";
  process.stdout.write(
    `day ${String(day).padStart(2)}: ${inputTokens} tokens in ${messageCount} messages, ${droppedMessagesCount} not sent, digest ${digestOf(turn.build).slice(0, 8)}${note}\n`,
  );
}
