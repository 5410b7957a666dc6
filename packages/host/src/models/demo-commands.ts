/** What a line asks the demo model to do: call a tool, or say many words. */
export type DemoCommand =
  | { readonly kind: "call"; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "words"; readonly count: number; readonly isSlow?: true }
  | { readonly kind: "unclear"; readonly why: string };

/** The profile that gets a task when none is named. */
const defaultProfile = "demo";
const maxWords = 10_000;
/** In characters. What is longer is no command, and the rules would need more of the stack than there is. */
const maxLine = 200_000;

interface Rule {
  readonly pattern: RegExp;
  readonly read: (groups: readonly string[]) => DemoCommand;
}

const call = (tool: string, input: Readonly<Record<string, unknown>>): DemoCommand => ({ kind: "call", tool, input });

// The first that matches a line counts. English and Chinese stand side by side; a colon may be of either kind.
const rules: readonly Rule[] = [
  { pattern: /^(?:call|调用)\s+([\w.-]+)\s*(\{.*\})?\s*$/iu, read: ([tool = "", json]) => anyCall(tool, json) },
  {
    pattern: /^(?:new topic|new context|新话题|换个话题|新上下文)\s*(?:[:：]\s*(.*))?$/iu,
    read: ([topic = ""]) => call("chat_context_new", topic === "" ? {} : { reason: `A new topic: ${topic}` }),
  },
  {
    pattern: /^(?:let['’]?s talk about something else|我们聊点别的|聊点别的)[.!。！]?$/iu,
    read: () => call("chat_context_new", { reason: "The user wants to talk about something else." }),
  },
  {
    pattern: /^(?:(?:let['’]?s )?(?:go )?back to|load|回到|载入|加载)\s*[:：]?\s*(.+)$/iu,
    read: ([query = ""]) => call("chat_context_load", { query: query.replace(/[.!。！]$/u, "") }),
  },
  {
    pattern: /^(?:list (?:the )?contexts|列出上下文|有哪些上下文)[.?？。]?$/iu,
    read: () => call("chat_context_list", {}),
  },
  {
    pattern: /^(?:clear (?:the )?context|清空上下文)[.!。！]?$/iu,
    read: () => call("chat_context_clear_active", {}),
  },
  {
    pattern: /^(?:delegate to|委托给|交给)\s*([^\s:：]+)\s*[:：]\s*(.+)$/iu,
    read: ([name = "", task = ""]) => call("delegate_async", taskOf(name, task)),
  },
  {
    pattern: /^(?:ask|请教|询问)\s*([^\s:：]+)\s*[:：]\s*(.+)$/iu,
    read: ([name, question]) => call("ask_expert", { profile_name: name, question }),
  },
  {
    pattern: /^(?:launch|启动)\s*([^\s:：]+)\s*[:：]\s*(.+)$/iu,
    read: ([name, instruction]) => call("launch_principal", { profile_name: name, instruction }),
  },
  {
    pattern: /^(?:fork|分头)(?:\s+(?:to\s+)?([^\s:：]+))?\s*[:：]\s*(.+)$/iu,
    read: ([name = defaultProfile, tasks = ""]) => call("fork_join", { tasks: tasksOf(name, tasks) }),
  },
  {
    pattern: /^(?:say|说)\s*(\d{1,9})\s*(?:words|个词)/iu,
    read: ([count = "0"]) => ({ kind: "words", count: Math.min(maxWords, Number(count)) }),
  },
  { pattern: /\bslowly\b|慢慢/iu, read: () => ({ kind: "words", count: 200, isSlow: true }) },
];

/** What a text asks for, line by line and in order; lines that ask for nothing are passed over. */
export function demoCommands(text: string): readonly DemoCommand[] {
  return text.split(/\r?\n|\s{1,8}then:\s|\s{0,8}然后：/u).flatMap((line) => commandOf(line.trim()) ?? []);
}

function commandOf(line: string): DemoCommand | undefined {
  // A real command has no such gap, and the rules would try each of its places.
  if (line.length > maxLine || /\s{50}/u.test(line)) return undefined;
  for (const { pattern, read } of rules) {
    const match = pattern.exec(line);
    if (match) return read(match.slice(1).map((group: string | undefined) => group?.trim() as string));
  }
  return undefined;
}

function anyCall(tool: string, json: string | undefined): DemoCommand {
  if (json === undefined) return call(tool, {});
  try {
    return call(tool, JSON.parse(json) as Readonly<Record<string, unknown>>);
  } catch {
    return { kind: "unclear", why: `what follows ${tool} is not JSON` };
  }
}

function taskOf(name: string, instruction: string): Readonly<Record<string, string>> {
  return { target_strategy: "new", target_ref: name, instruction };
}

/** `A | B`, each of which may name its own profile: `writer: A | critic: B`. */
function tasksOf(name: string, tasks: string): readonly Readonly<Record<string, string>>[] {
  const parts = tasks.split(/[|｜]/u).map((task) => task.trim());
  return parts.flatMap((task) => {
    if (task === "") return [];
    const [, own, rest] = /^([\w-]+)[:：]\s*(.+)$/u.exec(task) ?? [];
    return [own !== undefined && rest !== undefined ? taskOf(own, rest) : taskOf(name, task)];
  });
}
