import type { RouteReply } from "galley/api";
import type { ReactElement, ReactNode } from "react";
import { Link } from "../../frame/link.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { CopyButton } from "../../message/copy-button.tsx";
import { countedBy } from "../../message/counted-by.ts";

export type Turn = RouteReply<"sessions.turn">;

/** The figures of a turn: size, budget, what the provider reported, digest, and where to go on from here. */
export function TurnSummary({ turn }: { readonly turn: Turn }): ReactElement {
  const text = useText(inspectText);
  const words = useText(messageTexts);
  const { number, dateTime } = useFormats();
  const { stats, recipe, preset } = turn;
  return (
    <dl className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-line px-4 py-2.5">
      <Item label={text.tokens}>
        <strong className="tabular-nums">{text.of(number(stats.inputTokens), number(turn.budget))}</strong>{" "}
        <span className="text-muted">({countedBy(words, stats.exactness, stats.tokenizer)})</span>
      </Item>
      <Item label={text.reported}>
        <Reported turn={turn} />
      </Item>
      <Item label={text.cachedPrefix}>
        <span className="text-good tabular-nums">{words.tokens(number(turn.cachedPrefix))}</span>
      </Item>
      <Item label={text.model}>
        <span className="font-mono">{turn.model}</span>
      </Item>
      {recipe && (
        <Item label={text.recipe}>
          <span className="font-mono">{recipe.id}</span>{" "}
          <span className="text-muted">{text.matched(recipe.pattern, ruleText(recipe.rule, text.rules))}</span>
        </Item>
      )}
      {preset !== undefined && (
        <Item label={text.preset}>
          <Link href={composePath(preset, turn)}>{text.openInCompose}</Link>{" "}
          <span className="font-mono text-muted">{preset}</span>
        </Item>
      )}
      <Item label={text.digest}>
        <span className="inline-flex items-center gap-1">
          <code data-digest={turn.digest} title={turn.digest}>
            {turn.digest.slice(0, 16)}
          </code>
          <CopyButton text={turn.digest} label={text.copyDigest} />
        </span>
      </Item>
      <Item label={text.at}>{dateTime(turn.at)}</Item>
    </dl>
  );
}

/** The preset with the history, the model and the budget of this turn. */
function composePath(preset: string, { session, model, budget }: Turn): string {
  const source = session.startsWith("chat:") ? session : `session:${session}`;
  return pathTo("compose", { preset }, { source, model, budget });
}

function ruleText(rule: string, texts: Readonly<Record<string, string>>): string {
  return texts[rule] ?? rule;
}

function Item({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="min-w-0">
      <dt className="text-2xs text-muted">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

/** What the provider said that it read, beside our own count. */
function Reported({ turn }: { readonly turn: Turn }): ReactElement {
  const text = useText(inspectText);
  const { number, percent } = useFormats();
  const { usage, stats } = turn;
  if (!usage) return <span className="text-muted">{text.notReported}</span>;
  const off = usage.inputTokens > 0 ? (stats.inputTokens - usage.inputTokens) / usage.inputTokens : 0;
  const sign = off > 0 ? "+" : "";
  return (
    <span className="tabular-nums">
      {text.reportedValue(number(usage.inputTokens), number(usage.outputTokens), number(usage.cachedInputTokens))}
      {off !== 0 && <span className="text-muted"> · {text.difference(`${sign}${percent(off)}`)}</span>}
    </span>
  );
}
