import { dictionary } from "./dictionary.ts";

export const tourText = dictionary({
  en: {
    label: "A first look at Studio",
    progress: (step: number, of: number) => `Step ${step} of ${of}`,
    next: "Next",
    back: "Back",
    skip: "Skip",
    done: "Start",
    steps: [
      {
        title: "Compose what the model reads",
        body: "A preset is a list of texts. Put them in order, give one a depth or an anchor, and the preview beside the list shows at once what would be sent.",
      },
      {
        title: "Run a turn",
        body: "Chats run a real turn with any model that is set up, and with the demo model that needs no key. Start a new context when the subject changes; the old one can be loaded again.",
      },
      {
        title: "See what was sent, and why",
        body: "Inspect keeps every call: each message with its source and tokens, and each thing that was not sent, with the reason and how to keep it.",
      },
      {
        title: "Bring what you have",
        body: "Import takes SillyTavern presets, cards and chats, and says what was kept, converted and left out before anything is saved.",
      },
    ],
  },
  zh: {
    label: "初识 Studio",
    progress: (step: number, of: number) => `第 ${step} 步，共 ${of} 步`,
    next: "下一步",
    back: "上一步",
    skip: "跳过",
    done: "开始使用",
    steps: [
      {
        title: "编排模型读到的内容",
        body: "预设就是一列文本。排好顺序，给其中一条设定深度或锚点，列表旁的预览会立即显示将要发送的内容。",
      },
      {
        title: "运行一轮对话",
        body: "“聊天”用任何已配置的模型运行真实的一轮；演示模型不需要密钥。换话题时新建上下文，旧的随时可以重新载入。",
      },
      {
        title: "看清发送了什么，为什么",
        body: "“检视”保存每一轮：每条消息的来源和 token 数，以及每个没有发送的内容、原因和保留它的办法。",
      },
      {
        title: "带上您已有的内容",
        body: "“导入”接受 SillyTavern 的预设、角色卡和聊天记录，保存之前先说明哪些保留、哪些转换、哪些舍弃。",
      },
    ],
  },
});
