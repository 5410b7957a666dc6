import { dictionary } from "./dictionary.ts";

export const tourText = dictionary({
  en: {
    label: "A first look at Studio",
    progress: (step: number, of: number) => `Step ${step} of ${of}`,
    next: "Next",
    skip: "Skip the tour",
    finish: "Finish",
    guide: "Read on in the guide",
    show: {
      depth: "Open the demo preset",
      send: "Open the demo chat",
      why: "Open the demo chat",
      back: "Open the demo chat",
    },
    deeds: {
      depth: {
        title: "Change a depth",
        body: "The demo preset has a note that is inserted two messages before the end. Open “Note” in the list, change its depth, and watch the preview.",
        done: "The note has moved in the preview, and the figures say what that costs in cached tokens. What you see there is what will be sent, to the byte.",
      },
      send: {
        title: "Send something",
        body: "Write anything in the demo chat and press Enter. The demo model answers without a key.",
        done: "The reply is there. The drawer beside the chat shows how full the next call is, by source.",
      },
      why: {
        title: "See why",
        body: "Above the reply, press “Inspect call”: it shows what was sent, and why.",
        done: "Each message has its source and its tokens. “Not sent” names what was left out, why, and how to keep it.",
      },
      back: {
        title: "Get it back",
        body: "The chat has an earlier topic that was put away: “Kerosene tax”. Beside the chat, under Archived, open its menu and choose “Load whole”.",
        done: "It is the active context again, and what was active is put away: nothing gets lost. A cut is undone in the same drawer.",
      },
    },
  },
  zh: {
    label: "初识 Studio",
    progress: (step: number, of: number) => `第 ${step} 步，共 ${of} 步`,
    next: "下一步",
    skip: "跳过导览",
    finish: "完成",
    guide: "继续阅读指南",
    show: { depth: "打开演示预设", send: "打开演示聊天", why: "打开演示聊天", back: "打开演示聊天" },
    deeds: {
      depth: {
        title: "改一个深度",
        body: "演示预设里有一条备注，插入到倒数第二条消息之前。在列表中打开“备注”，改变它的深度，看预览的变化。",
        done: "备注在预览中移动了，数字说明这会损失多少已缓存的 token。您在预览中看到的，就是将要发送的内容，逐字节一致。",
      },
      send: {
        title: "发送一句话",
        body: "在演示聊天中写任意内容，然后按 Enter。演示模型不需要密钥就能回答。",
        done: "回复已经到了。聊天旁边的抽屉按来源显示下一次调用有多满。",
      },
      why: {
        title: "看看为什么",
        body: "在回复上方点“检视第 … 次调用”：它显示发送了什么、为什么。",
        done: "每条消息都有来源和 token 数。“未发送”列出没有发送的内容、原因和保留的办法。",
      },
      back: {
        title: "取回来",
        body: "这个聊天有一个收起的旧话题：“煤油税”。在聊天旁边的“已归档”下，打开它的菜单，选择“载入全部”。",
        done: "它又成为活动上下文，原来的被收起：什么都不会丢失。裁剪也可以在同一个抽屉里撤销。",
      },
    },
  },
});
