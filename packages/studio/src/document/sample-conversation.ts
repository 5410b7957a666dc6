import type { MessageEntry, ModelMessage } from "@galley/engine";

const lines: readonly ModelMessage[] = [
  { role: "user", content: "We have three days in November. Night train or flight to Vienna?" },
  {
    role: "assistant",
    content:
      "With three days I would take the night train: you arrive at seven, and the hotel bill is one night shorter. The flight is faster only on paper.",
  },
  { role: "user", content: "夜车的卧铺还有票吗？我们两个人，最好是同一个包厢。" },
  {
    role: "assistant",
    content: [
      { type: "text", text: "我查一下卧铺的余票。" },
      { type: "tool-call", toolCallId: "call-1", toolName: "find_berths", input: { train: "NJ 466", people: 2 } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call-1",
        toolName: "find_berths",
        output: { type: "json", value: { train: "NJ 466", compartments: [{ type: "double", free: 3, price: 149 }] } },
      },
    ],
  },
  { role: "assistant", content: "NJ 466 次夜车还有三个双人包厢，每人 149 欧元。要我先保留一个吗？" },
  { role: "user", content: "Yes, hold one. And where do we get breakfast at seven in the morning?" },
  {
    role: "assistant",
    content:
      "Held until tomorrow noon. Two minutes from the station a bakery opens at six; the café in the Stadtpark opens at half past seven and has a table by the window for two.",
  },
  { role: "user", content: "最后一个问题：第二天下雨的话，我们去哪里？" },
  {
    role: "assistant",
    content: "下雨的话去艺术史博物馆：周四开到晚上九点，咖啡厅在穹顶下面，坐一个下午也不会觉得久。",
  },
  { role: "user", content: "Good. Put all of that into a plan of six lines that I can send to my sister." },
];

/** A conversation of our own for those who have none yet: two languages, a tool call, an open question. */
export const sampleConversation: readonly MessageEntry[] = lines.map((message, index) => ({
  id: `m${index + 1}`,
  ts: Date.UTC(2026, 10, 1, 18, index),
  type: "message",
  message,
}));
