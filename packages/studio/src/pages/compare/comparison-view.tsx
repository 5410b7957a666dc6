import type { TokenAccount } from "@galley/engine";
import { ChevronDown, ChevronUp } from "lucide-react";
import { type ReactElement, type RefObject, useMemo, useRef, useState } from "react";
import { useCommands } from "../../frame/commands.ts";
import { compareText } from "../../i18n/compare.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { VirtualList, type VirtualListHandle, focusSoon } from "../../message/virtual-list.tsx";
import { countedBy } from "../../message/row-look.ts";
import type { ComparedBuild } from "./build-file.ts";
import { type Comparison, type ShownRow, compareBuilds, shownRows } from "./compare-builds.ts";
import { ComparisonRow } from "./comparison-row.tsx";

export interface ComparisonViewProps {
  readonly left: ComparedBuild;
  readonly right: ComparedBuild;
  readonly account: TokenAccount;
  readonly scroll: RefObject<HTMLElement | null>;
}

/** The comparison: what it costs, then row by row; `n` and `p` go from difference to difference. */
export function ComparisonView({ left, right, account, scroll }: ComparisonViewProps): ReactElement {
  const text = useText(compareText);
  const comparison = useMemo(() => compareBuilds(left, right, account), [left, right, account]);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => shownRows(comparison.rows, unfolded), [comparison, unfolded]);
  const list = useRef<VirtualListHandle>(null);
  const { current, go } = useDifferences(comparison, rows, list, scroll);
  const toggle = (index: number): void => {
    const next = new Set(unfolded);
    if (!next.delete(index)) next.add(index);
    setUnfolded(next);
  };
  return (
    <>
      <CostLine comparison={comparison} left={left} right={right} account={account} />
      {comparison.differences.length > 0 && (
        <div className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-y border-line bg-canvas px-4 py-1.5">
          <IconButton label={text.previous} size="small" onPress={() => go(-1)} icon={ChevronUp} />
          <IconButton label={text.next} size="small" onPress={() => go(1)} icon={ChevronDown} />
          <span role="status" className="tabular-nums">
            {text.position(current + 1, comparison.differences.length)}
          </span>
          <span className="text-xs text-muted max-md:hidden">{text.keys}</span>
        </div>
      )}
      <VirtualList
        label={text.differences}
        items={rows}
        scroll={scroll}
        estimate={60}
        itemKey={({ key }) => key}
        handle={list}
      >
        {({ row, index }) => (
          <ComparisonRow
            row={row}
            index={index}
            isUnfolded={unfolded.has(index)}
            isCurrent={comparison.differences[current] === index}
            left={left}
            right={right}
            onToggle={() => toggle(index)}
          />
        )}
      </VirtualList>
    </>
  );
}

interface Differences {
  /** Which difference was gone to last; -1 before the first. */
  readonly current: number;
  readonly go: (by: 1 | -1) => void;
}

function useDifferences(
  { differences }: Comparison,
  rows: readonly ShownRow[],
  list: RefObject<VirtualListHandle | null>,
  scroll: RefObject<HTMLElement | null>,
): Differences {
  const [current, setCurrent] = useState(-1);
  const go = (by: 1 | -1): void => {
    const to = Math.max(0, Math.min(differences.length - 1, current + by));
    const index = rows.findIndex((row) => row.index === differences[to] && row.row.kind !== "equal");
    if (index < 0) return;
    setCurrent(to);
    list.current?.scrollTo(index, "center");
    focusSoon(scroll.current, `[data-row="${differences[to]}"]`);
  };
  const text = useText(compareText);
  useCommands([
    { id: "next-difference", label: text.next, keys: "n", run: () => go(1) },
    { id: "previous-difference", label: text.previous, keys: "p", run: () => go(-1) },
  ]);
  return { current: Math.min(current, differences.length - 1), go };
}

type CostLineProps = Omit<ComparisonViewProps, "scroll"> & { readonly comparison: Comparison };

/** What is the same and what is not, the first difference, and what a provider has to read again for it. */
function CostLine({ comparison, left, right, account }: CostLineProps): ReactElement {
  const text = useText(compareText);
  const words = useText(messageTexts);
  const { number } = useFormats();
  const { counts, cost, firstChange, toolsDiffer } = comparison;
  if (firstChange === undefined && !toolsDiffer) return <p className="px-4 pb-3 font-medium text-good">{text.equal}</p>;
  const kinds = ["same", "moved", "changed", "onlyLeft", "onlyRight"] as const;
  const isEstimated = [...left.messages, ...right.messages].some((message) => account.isEstimated(message));
  const exactness = isEstimated ? "estimated" : account.tokenizer.exactness;
  return (
    <div className="flex flex-col gap-1 px-4 pb-3">
      <ul className="flex flex-wrap gap-x-4 gap-y-1" data-compare-counts>
        {kinds.map((kind) => (
          <li key={kind} className={counts[kind] > 0 && kind !== "same" ? "font-semibold" : "text-muted"}>
            {text.counts[kind](number(counts[kind]))}
          </li>
        ))}
      </ul>
      {toolsDiffer && <p className="text-warn">{text.toolsDiffer}</p>}
      <p>
        <span className="font-medium">
          {firstChange === undefined ? text.equalMessages : text.firstDifference(firstChange + 1)}
        </span>{" "}
        <span data-compare-cost={`${cost.cached} ${cost.readAgain} ${cost.fresh}`}>
          {text.cost(number(cost.cached), number(cost.readAgain), number(cost.fresh))}
        </span>{" "}
        <span className="text-muted">({countedBy(words, exactness, account.tokenizer.id)})</span>
      </p>
    </div>
  );
}
