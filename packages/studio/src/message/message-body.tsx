import { FileText, Image } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, createContext, createElement, useContext, useEffect, useState } from "react";
import { call } from "../api/call.ts";
import { type MessageText, messageTexts } from "../i18n/message.ts";
import { useText } from "../i18n/use-text.ts";
import { classes } from "../kit/classes.ts";
import { isMarkdownShown } from "./markdown-source.ts";
import { type MessageBlock, drawnKinds, messageBlocks, pictureAddress } from "./message-blocks.ts";

export interface MessageBodyProps {
  readonly content: unknown;
  /** Shows the first lines only. */
  readonly isFolded?: boolean;
  /** Set like code, to the last space; like a conversation, as it was typed; or as the Markdown that models write. */
  readonly look?: "code" | "typed" | "markdown";
}

const plain = "whitespace-pre-wrap wrap-anywhere";
const code = "font-mono text-xs";
/** Lines of a readable length. */
const prose = "max-w-[80ch] text-base leading-relaxed";

/** What a message says: nothing in it is ever read as HTML, and no picture is fetched; those that it brings are drawn. */
export function MessageBody({ content, isFolded = false, look = "code" }: MessageBodyProps): ReactElement {
  const text = useText(messageTexts);
  const blocks = messageBlocks(content);
  if (blocks.length === 0) return <p className="text-xs text-muted italic">{text.empty}</p>;
  return (
    <div className="flex flex-col gap-1.5">
      {blocks.map((block, index) => (
        // Blocks of a message never change their order.
        // oxlint-disable-next-line react/no-array-index-key
        <Block key={index} block={block} isFolded={isFolded} look={look} text={text} />
      ))}
    </div>
  );
}

interface BlockProps {
  readonly block: MessageBlock;
  readonly isFolded: boolean;
  readonly look: "code" | "typed" | "markdown";
  readonly text: MessageText;
}

function Block({ block, isFolded, look, text }: BlockProps): ReactElement {
  const isMarkdown = look === "markdown" && block.kind === "text" && !isFolded && isMarkdownShown(block.text);
  const setMarkdown = useMarkdown(isMarkdown);
  const shown = (value: string): ReactElement => (
    <div
      className={classes(plain, block.kind === "text" && look !== "code" ? prose : code, isFolded && "line-clamp-2")}
    >
      {isFolded ? value.slice(0, 1000) : value}
    </div>
  );
  if (block.kind === "text") {
    return setMarkdown && isMarkdown ? <div className={prose}>{setMarkdown(block.text)}</div> : shown(block.text);
  }
  if (block.kind === "media") return <Media block={block} text={text} isDrawn={look !== "code"} />;
  const { label, tone } = labelOf(block, text);
  return (
    <div className={classes("min-w-0 rounded-sm border-l-2 bg-sunken py-1 pr-2 pl-2", tone)}>
      <div className="text-2xs font-medium text-muted" title={"id" in block ? block.id : undefined}>
        {label}
      </div>
      {shown(block.text)}
    </div>
  );
}

type LabelledBlock = Exclude<MessageBlock, { readonly kind: "text" | "media" }>;

function labelOf(block: LabelledBlock, text: MessageText): { readonly label: string; readonly tone: string } {
  switch (block.kind) {
    case "reasoning":
      return { label: text.reasoning, tone: "border-l-source-summary" };
    case "call":
      return { label: text.calls(block.name), tone: "border-l-accent" };
    case "result":
      if (block.isError) return { label: text.failed(block.name), tone: "border-l-bad" };
      return { label: text.result(block.name), tone: "border-l-good" };
    case "other":
      return { label: block.name, tone: "border-l-edge" };
  }
}

/** The chat whose messages are shown: it keeps their pictures as files. */
export const ChatOfPictures = createContext("");

interface MediaProps {
  readonly block: MessageBlock & { readonly kind: "media" };
  readonly text: MessageText;
  readonly isDrawn: boolean;
}

function Media({ block, text, isDrawn }: MediaProps): ReactElement {
  const { mediaType, name = mediaType, file = "" } = block;
  const key = useContext(ChatOfPictures);
  const stored = useQuery({
    queryKey: ["picture", key, file],
    queryFn: ({ signal }) => call("chats.file", { params: { key, name: file } }, { signal }),
    enabled: isDrawn && key !== "" && file !== "" && drawnKinds.test(mediaType),
    staleTime: Infinity,
  });
  const picture = block.picture ?? pictureAddress(mediaType, stored.data?.data);
  const isPicture = mediaType.startsWith("image");
  if (isDrawn && picture !== undefined) {
    const alt = `${text.picture}: ${name}`;
    return <img src={picture} alt={alt} title={name} className="max-h-72 self-start rounded-md border border-line" />;
  }
  return (
    <div className="inline-flex max-w-full items-center gap-2 self-start rounded-md border border-dashed border-edge px-2 py-1 text-xs text-muted">
      {isPicture ? <Image aria-hidden size={14} /> : <FileText aria-hidden size={14} />}
      <span>{isPicture ? text.picture : text.file}</span>
      <span className="font-mono">{name}</span>
    </div>
  );
}

type SetMarkdown = (text: string) => ReactElement;

/** Loaded with the first reply that is shown, and kept. */
let loaded: SetMarkdown | undefined;

/**
 * Sets a text as Markdown, once what does so is there; until then, and while the daemon that would give it is away, a text is
 * shown as it was written, and the next one asks again.
 */
function useMarkdown(isWanted: boolean): SetMarkdown | undefined {
  const [, setIsLoaded] = useState(loaded !== undefined);
  useEffect(() => {
    if (!isWanted || loaded) return;
    let isGone = false;
    import("./markdown.tsx").then(
      ({ Markdown }) => {
        loaded = (text) => createElement(Markdown, { text });
        if (!isGone) setIsLoaded(true);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return loaded;
}
