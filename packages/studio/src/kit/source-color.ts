/** Where a message comes from, as Studio colours it. The same colour stands in lists, bars and the preview. */
export type SourceColor = "template" | "anchor" | "history" | "depth" | "summary" | "runtime" | "input" | "frame";

export const sourceBorder: Readonly<Record<SourceColor, string>> = {
  template: "border-l-source-template",
  anchor: "border-l-source-anchor",
  history: "border-l-source-history",
  depth: "border-l-source-depth",
  summary: "border-l-source-summary",
  runtime: "border-l-source-runtime",
  input: "border-l-source-input",
  frame: "border-l-edge",
};

export const sourceFill: Readonly<Record<SourceColor, string>> = {
  template: "bg-source-template",
  anchor: "bg-source-anchor",
  history: "bg-source-history",
  depth: "bg-source-depth",
  summary: "bg-source-summary",
  runtime: "bg-source-runtime",
  input: "bg-source-input",
  frame: "bg-edge",
};
