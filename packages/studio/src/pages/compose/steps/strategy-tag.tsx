import type { InjectionStrategy } from "@galley/engine";
import type { TokenSource } from "@galley/engine/proof";
import { Anchor } from "lucide-react";
import { type ReactElement, memo } from "react";
import type { ShownStep } from "../../../document/shown-steps.ts";
import { presetCallNames } from "../../../document/preset-names.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Hint } from "../../../kit/button.tsx";
import { Tag } from "../../../kit/tag.tsx";
import { useDocument } from "../state/editor-state.ts";

interface StrategyTagProps {
  readonly strategy: InjectionStrategy | undefined;
  readonly isInherited: boolean;
}

/** `Depth: N` or `⚓ id`, with a sentence that says where it flies. */
export const StrategyTag = memo(function StrategyTag(props: StrategyTagProps): ReactElement | null {
  const { strategy, isInherited } = props;
  const text = useText(composeText);
  const target = strategy?.anchorTarget ?? "";
  const anchor = useDocument((state) => presetCallNames(state.preset, text.kinds).get(target) ?? target);
  if (strategy?.depth === undefined && strategy?.anchorTarget === undefined) return null;
  const { depth, anchorPosition = "after", mode } = strategy;
  const sentences = [
    depth === undefined ? text.anchorSentence(anchor, anchorPosition) : text.depthSentence(depth),
    ...(mode === "frozen" ? [text.frozenSentence] : []),
    ...(isInherited ? [text.inheritedSentence] : []),
  ];
  return (
    <Hint text={sentences.join(" ")} className="inline-flex max-w-full min-w-0 rounded">
      <span
        data-testid="strategy-tag"
        data-inherited={isInherited || undefined}
        className="inline-flex max-w-full min-w-0"
      >
        {depth === undefined ? (
          <Tag tone="anchor" isInherited={isInherited}>
            <Anchor aria-hidden size={11} className="shrink-0" />
            <span className="sr-only">⚓</span>
            <span className="min-w-0 truncate">{anchor}</span>
          </Tag>
        ) : (
          <Tag tone="depth" isInherited={isInherited}>
            {text.depthTag(depth)}
          </Tag>
        )}
      </span>
    </Hint>
  );
});

/** The colour that a step has in the list and its message in the preview. */
export function colorOfStep({ kind, strategy }: Pick<ShownStep, "kind" | "strategy">): TokenSource {
  if (strategy?.depth !== undefined) return "depth";
  if (strategy?.anchorTarget !== undefined) return "anchor";
  if (kind === "chat_history" || kind === "placeholder") return "history";
  return kind === "user_profile" ? "profile" : "template";
}

export type InjectionMode = "list" | "depth" | "anchor";

/** Depth before anchor before list [C4]. */
export function modeOf(strategy: InjectionStrategy | undefined): InjectionMode {
  if (strategy?.depth !== undefined) return "depth";
  return strategy?.anchorTarget === undefined ? "list" : "anchor";
}
