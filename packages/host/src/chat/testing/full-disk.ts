// Run as a process of its own under a limit on the size of files: appends until the disk refuses, and says what it took.
import { openChat } from "../open-chat.ts";

const chat = await openChat(process.argv[2] ?? "", "demo");
const acknowledged: string[] = [];
const errors: string[] = [];
for (let index = 0; index < 40; index += 1) {
  try {
    await chat.append([{ role: "user", content: `${index}${" ".repeat(3000)}` }]);
    acknowledged.push(String(index));
  } catch (error) {
    errors.push(String((error as { code: unknown }).code));
  }
}
await chat.close();
process.stdout.write(JSON.stringify({ acknowledged, errors }));
