import { type ComponentProps, type ReactElement, type ReactNode, memo, useDeferredValue } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import rehypeKatex from "rehype-katex";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { messageTexts } from "../i18n/message.ts";
import { useText } from "../i18n/use-text.ts";
import { scrolls } from "../kit/classes.ts";
import { CopyButton } from "./copy-button.tsx";
import { markFormulas, safeAddress } from "./markdown-source.ts";

type Plugins = Pick<ComponentProps<typeof ReactMarkdown>, "remarkPlugins" | "rehypePlugins">;

const plugins: Plugins = {
  remarkPlugins: [remarkGfm, [remarkMath, { singleDollarTextMath: false }]],
  // MathML is drawn by the browser itself: no fonts, and no style that the page's policy would refuse.
  rehypePlugins: [
    [rehypeKatex, { output: "mathml" }],
    [rehypeHighlight, { detect: false }],
  ],
};

/** What a model says, set as Markdown. HTML in it is shown as text, pictures are named and not loaded. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }): ReactElement {
  const shown = useDeferredValue(text);
  return (
    <div className="markdown">
      <ReactMarkdown {...plugins} components={components} urlTransform={(address) => safeAddress(address)}>
        {markFormulas(shown)}
      </ReactMarkdown>
    </div>
  );
});

/** Headings of a message stand below the heading that says who speaks. */
function heading(level: 4 | 5 | 6) {
  const Tag = `h${level}` as const;
  return ({ children }: { readonly children?: ReactNode }): ReactElement => <Tag>{children}</Tag>;
}

const components: Components = {
  h1: heading(4),
  h2: heading(4),
  h3: heading(5),
  h4: heading(5),
  h5: heading(6),
  h6: heading(6),
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt, src }) => <NotLoaded alt={alt} address={typeof src === "string" ? src : undefined} />,
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
  table: ({ children }) => (
    <div className="overflow-x-auto" {...scrolls}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ node, children }) => <Code text={textOf(node)}>{children}</Code>,
};

/** A picture that a message names: what it shows and where it lies, and a link for those who want to see it. */
function NotLoaded({ alt, address }: { readonly alt: string | undefined; readonly address: string | undefined }) {
  const words = useText(messageTexts);
  const label = `${words.picture}: ${alt || (address ?? "")}`;
  if (address === undefined) return <span className="text-muted">[{label}]</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      [{label}]
    </a>
  );
}

function Code({ text, children }: { readonly text: string; readonly children: ReactNode }): ReactElement {
  const words = useText(messageTexts);
  return (
    <div className="relative">
      <pre {...scrolls}>{children}</pre>
      <div className="absolute top-1 right-1 rounded-md bg-canvas">
        <CopyButton text={text} label={words.copyCode} />
      </div>
    </div>
  );
}

interface HastNode {
  readonly value?: unknown;
  readonly children?: readonly HastNode[];
}

function textOf(node: HastNode | undefined): string {
  if (node === undefined) return "";
  return typeof node.value === "string" ? node.value : (node.children ?? []).map(textOf).join("");
}
