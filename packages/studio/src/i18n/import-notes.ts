import type { Language } from "../browser/preferences.ts";

// What an import and an export say of a file comes from the engine in English, as the command prints it. `*` stands for what
// a sentence is about, which stays as it is.
const chinese: readonly (readonly [english: string, chinese: string])[] = [
  [
    "* greetings. A chat begins with the first; another one can be chosen (--greeting).",
    "$1 条开场白。聊天从第一条开始；可以选择另一条（--greeting）。",
  ],
  ["* prompt*, * in the order.", "$1 条提示，顺序中有 $3 条。"],
  ["* entr*: * waiting for keys, * switched off.", "$1 个条目：$3 个等待关键词，$4 个已关闭。"],
  ["A session with * message*; macros are filled in.", "成为有 $1 条消息的会话；宏已填入。"],
  [
    "These change what SillyTavern sends, and nothing here: *.",
    "这些会改变 SillyTavern 发送的内容，在这里不起作用：$1。",
  ],
  [
    "Settings of the model call and of the program are kept for an export and have no effect: *.",
    "模型调用和程序的设置为导出而保留，不起作用：$1。",
  ],
  ["These have no effect: *.", "这些不起作用：$1。"],
  ["These are kept for an export and have no effect: *.", "这些为导出而保留，不起作用：$1。"],
  ["Kept for an export and not sent: *.", "为导出而保留，不会发送：$1。"],
  ["* (every * messages of the user)", "$1（用户每说 $2 条消息一次）"],
  [
    "The book inside the card is switched off, as SillyTavern has it before it is imported.",
    "角色卡内置的世界书已关闭，与 SillyTavern 导入之前一致。",
  ],
  [
    "It has no position; SillyTavern does not send it either before it is saved again.",
    "它没有位置；SillyTavern 在重新保存之前也不会发送它。",
  ],
  [
    "It is found by vectors only, which Galley does not have: it never comes by itself.",
    "它只能用向量找到，而 Galley 没有向量：它不会自己出现。",
  ],
  [
    "SillyTavern does not know these decorators, and neither does Galley: *.",
    "SillyTavern 不认识这些修饰符，Galley 也不认识：$1。",
  ],
  ["The key * could take for ever to look for and is never found.", "查找关键词 $1 可能没完没了，因此不会命中。"],
  [
    "{{*}} is known only to a running SillyTavern and is sent as it is; a build can be given a value.",
    "只有运行中的 SillyTavern 才知道 {{$1}}；它原样发送，也可以为它赋值。",
  ],
  [
    "{{*}} has no value here and is sent as it is; a build can be given a value.",
    "{{$1}} 在这里没有值，原样发送；也可以为它赋值。",
  ],
  ["{{*}} * and is sent as it is; a build can be given a value.", "{{$1}} 原样发送；也可以为它赋值。"],
  [
    "Messages with other versions, which stay beside them in the session: *.",
    "有其他版本的消息（版本保留在会话中）：$1 条。",
  ],
  ["Hidden messages, which stay in the session and are not sent: *.", "隐藏的消息（保留在会话中，不发送）：$1 条。"],
  ["There is no such prompt; it is left out.", "没有这条提示；已略去。"],
  ["SillyTavern has the prompt in its list and never sends it.", "SillyTavern 的列表里有这条提示，但从不发送。"],
  [
    "SillyTavern never sends an entry with this depth; neither does Galley.",
    "SillyTavern 从不发送这个深度的条目；Galley 也不发送。",
  ],
  ["Of * dialogues the first * are imported.", "$1 段对话中，导入了前 $2 段。"],
  ["Of * personas, * speaks; it can be another one: *.", "$1 个用户设定中由 $2 说话；也可以换成：$3。"],
  ["No card was given: {{char}} is *, and nothing describes it.", "没有给出角色卡：{{char}} 是 $1，没有描述。"],
  [
    "No preset was given: the stock order is used, with Galley's own main prompt.",
    "没有给出预设：使用默认顺序和 Galley 自己的主提示。",
  ],
  [
    "Of the settings, those of world info are used; all others have no effect.",
    "设置中只使用世界书的设置；其余不起作用。",
  ],
  ["Skipped: the line is not a message.", "已跳过：这一行不是消息。"],
  ["* The line is left out.", "$1 这一行已略去。"],
  ["* It is left out.", "$1 已略去。"],
  ["The card has no name.", "角色卡没有名字。"],
  ["Regex scripts are not run.", "正则脚本不会运行。"],
  ["Greetings for groups do not become messages.", "群聊开场白不会成为消息。"],
  ["Who made the card is not sent.", "角色卡的作者不会发送。"],
  ["Tags are not sent.", "标签不会发送。"],
  ["SillyTavern does not read it either.", "SillyTavern 也不读取它。"],
  ["Pictures and sounds are not imported.", "图片和声音不会导入。"],
  ["Where the card came from is not sent.", "角色卡的来源不会发送。"],
  [
    "The picture holds * such chunks; the first that can be read counts.",
    "图片中有 $1 个这样的数据块；以第一个能读出的为准。",
  ],
  ["The chunk is not base64 and is left out.", "数据块不是 base64，已略去。"],
  [
    "It has no {0}, so that the entries would get lost; they are sent without it.",
    "它没有 {0}，条目会丢失；因此不用它来发送条目。",
  ],
  ["It may hold a secret and is left out.", "其中可能有密钥，已略去。"],
  ["A prompt has no identifier and is left out.", "有一条提示没有标识，已略去。"],
  ["Two prompts are called *; the first one counts.", "有两条提示都叫 $1；以第一条为准。"],
  ["It becomes the prompt *.", "它成为提示 $1。"],
  ["There is no main prompt; Galley's own stands in for it.", "没有主提示；用 Galley 自己的代替。"],
  ["None is for all characters (*); the stock order is used.", "没有适用于所有角色的顺序（$1）；使用默认顺序。"],
  ["* stands in the order twice or has no name; it is left out.", "$1 在顺序中出现两次或没有名字；已略去。"],
  ["Two entries have the uid *; the one looked at last counts.", "有两个条目的 uid 是 $1；以最后看到的为准。"],
  ["It is a lorebook of *; it becomes world info.", "这是 $1 的世界书；它成为世界书条目。"],
  ["The name leads out of the archive; the file is not read.", "文件名指向压缩包之外；不读取该文件。"],
  ["Files beside the card are not imported: *.", "角色卡以外的文件不会导入：$1。"],
  ["The checksum is wrong; the card is used as it could be read.", "校验和有误；按能读出的内容使用角色卡。"],
  ["It should be * and is *; it is left out.", "它应当是 $1，实际是 $2；已略去。"],
  ["It should be * and is *.", "它应当是 $1，实际是 $2。"],
  ["Of * items the first * are read.", "$1 项中，读取了前 $2 项。"],
  ["The * chunk is longer than the file; what follows is not read.", "数据块 $1 比文件还长；其后的内容不读取。"],
  [
    "* is too large to be a card, or too much with the others, and is not read.",
    "$1 太大，不会是角色卡，或与其他合计过大；不读取。",
  ],
  ["The checksum of * is wrong; it is used only if it can be read whole.", "$1 的校验和有误；只有能完整读出时才使用。"],
  [
    "A card in an iTXt or zTXt chunk is not read; SillyTavern's stand in tEXt chunks.",
    "不读取 iTXt 或 zTXt 数据块里的角色卡；SillyTavern 的在 tEXt 数据块里。",
  ],
  ["There are * more notes of this kind.", "还有 $1 条同类说明。"],
  ["Cards of version 2 do not have it; it is left out.", "版本 2 的角色卡没有它；已略去。"],
  ["Chats there do not hold *: *.", "那边的聊天不保存 $1：$2。"],
  [
    "The edited text does not fit the preset's *_format; the card's own is written.",
    "改过的文本不符合预设的 $1_format；写入角色卡自己的文本。",
  ],
  ["What belongs to * is not written (*): *", "属于 $1 的内容没有写入（$2）：$3"],
  ["Messages have no priority there.", "那边的消息没有优先级。"],
  ["Nothing is frozen there; it floats.", "那边没有固定的内容；它会浮动。"],
  ["Prompts have no speaker there.", "那边的提示没有说话者。"],
  ["It becomes the marker of the persona.", "它成为用户设定的标记。"],
  ["It is a setting of the connection there, not of the preset.", "在那边它是连接的设置，不是预设的设置。"],
  [
    "A preset there has one order; * other recipes are not written.",
    "那边的预设只有一个顺序；其他 $1 个配方没有写入。",
  ],
  ["SillyTavern's entries cannot say this: *.", "SillyTavern 的条目无法表达：$1。"],
  [
    "The example dialogue of * was edited here; it is written as it was imported.",
    "$1 的示例对话在这里改过；按导入时的样子写入。",
  ],
  ["The entry is on here, and is written as one that is always on.", "条目在这里是开启的，写成始终开启的条目。"],
  ["Their order was renumbered, so that they are sent in the same sequence.", "已重新编号，使发送的先后不变。"],
  ["Its anchor * has no place in the list; it is put last.", "它的锚点 $1 在列表中没有位置；放到最后。"],
  ["The edited text of * is kept from being replaced by a card.", "$1 改过的文本不会被角色卡替换。"],
  ["{{*}} is written as its value.", "{{$1}} 写成它的值。"],
  ["The order of its prompts is written as injection_order.", "其提示的顺序写为 injection_order。"],
  [
    "World info has one format there; that of worldInfoBefore is written.",
    "那边的世界书只有一种格式；写入 worldInfoBefore 的格式。",
  ],
  ["A book inside a card cannot say *.", "角色卡内置的世界书无法表达 $1。"],
];

const compiled = chinese.map(([english, words]) => {
  const parts = english.split("*").map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/gu, String.raw`\$&`));
  return { pattern: new RegExp(`^${parts.join("(.*?)")}$`, "su"), words } as const;
});

/** A note of a report in the reader's language; one that is not known stays in English. */
export function noteIn(language: Language, note: string): string {
  if (language === "en") return note;
  const found = compiled.find(({ pattern }) => pattern.test(note));
  return found ? note.replace(found.pattern, found.words) : note;
}
