import { type LedgerRow, provenance } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import type { Language } from "../../browser/preferences.ts";
import { madeOnce } from "../../document/made-once.ts";
import { compareText } from "../../i18n/compare.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useLanguage, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { Tag } from "../../kit/tag.tsx";
import { messageText } from "../../message/message-blocks.ts";
import { MessageBody } from "../../message/message-body.tsx";
import type { ComparedBuild } from "./build-file.ts";
import type { ShownRow } from "./compare-builds.ts";
import { wordDiff } from "./word-diff.ts";

export interface ComparisonRowProps {
  readonly row: ShownRow["row"];
  /** Its place in the comparison. */
  readonly index: number;
  readonly isUnfolded: boolean;
  readonly isCurrent: boolean;
  readonly left: ComparedBuild;
  readonly right: ComparedBuild;
  readonly onToggle: () => void;
}

export function ComparisonRow(props: ComparisonRowProps): ReactElement {
  const { row, left, right, isUnfolded, onToggle } = props;
  const text = useText(compareText);
  switch (row.kind) {
    case "same":
      return (
        <div className="border-b border-line bg-sunken px-4 py-1">
          <Button size="small" look="quiet" aria-expanded={isUnfolded} onPress={onToggle}>
            {isUnfolded ? <ChevronDown aria-hidden size={14} /> : <ChevronRight aria-hidden size={14} />}
            {text.same(row.count, row.to + 1, row.to + row.count)}
          </Button>
        </div>
      );
    case "equal":
      return (
        <div className="border-b border-line bg-sunken px-4 py-2 text-muted">
          <CellHead build={right} position={row.to} />
          <MessageBody content={right.messages[row.to]?.content} isFolded />
        </div>
      );
    case "movedAway":
      return (
        <p className="border-b border-line px-4 py-1 text-xs text-muted">{text.movedAway(row.from + 1, row.to + 1)}</p>
      );
    case "moved":
      return (
        <Difference {...props} kind="moved" note={text.movedFromTo(row.from + 1, row.to + 1)}>
          <Cell build={right} position={row.to} className="col-span-full" />
        </Difference>
      );
    case "changed":
      return (
        <Difference {...props} kind="changed">
          <ChangedCells left={left} right={right} from={row.from} to={row.to} />
        </Difference>
      );
    case "onlyLeft":
      return (
        <Difference {...props} kind="onlyLeft">
          <Cell build={left} position={row.from} className="bg-removed" />
          <NotThere />
        </Difference>
      );
    case "onlyRight":
      return (
        <Difference {...props} kind="onlyRight">
          <NotThere />
          <Cell build={right} position={row.to} className="bg-added" />
        </Difference>
      );
  }
}

const tones = { moved: "accent", changed: "warn", onlyLeft: "bad", onlyRight: "good" } as const;

interface DifferenceProps extends Pick<ComparisonRowProps, "isCurrent" | "index"> {
  readonly kind: keyof typeof tones;
  readonly note?: string;
  readonly children: ReactNode;
}

function Difference({ kind, note, index, isCurrent, children }: DifferenceProps): ReactElement {
  const text = useText(compareText);
  return (
    <article
      data-difference={kind}
      data-row={index}
      data-current-difference={isCurrent || undefined}
      tabIndex={-1}
      aria-label={note ? `${text.kinds[kind]} ${note}` : text.kinds[kind]}
      className={classes(
        "border-b border-line px-4 py-2 outline-none",
        isCurrent && "shadow-[inset_4px_0_0_var(--accent)]",
      )}
    >
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <Tag tone={tones[kind]}>{text.kinds[kind]}</Tag>
        {note && <span className="text-xs text-muted">{note}</span>}
      </div>
      <div className="grid grid-cols-2 gap-2 max-md:grid-cols-1">{children}</div>
    </article>
  );
}

interface CellProps {
  readonly build: ComparedBuild;
  readonly position: number;
  readonly className?: string;
}

const box = "min-w-0 rounded-md border border-line px-3 py-2";

function Cell({ build, position, className }: CellProps): ReactElement {
  return (
    <div className={classes(box, className)}>
      <CellHead build={build} position={position} />
      <MessageBody content={build.messages[position]?.content} />
    </div>
  );
}

function NotThere(): ReactElement {
  const text = useText(compareText);
  return (
    <div className="flex items-center justify-center rounded-md border border-dashed border-edge px-3 py-2 text-xs text-muted">
      {text.notThere}
    </div>
  );
}

function CellHead({ build, position }: CellProps): ReactElement {
  const text = useText(compareText);
  const words = useText(messageTexts);
  const language = useLanguage();
  const role = build.messages[position]?.role ?? "user";
  const row = rowsOf(build)[position]?.[0];
  return (
    <p className="mb-1 text-xs">
      <span className="font-medium">{text.message(position + 1, words.roles[role])}</span>
      {row && (
        <span className="text-muted" title={row.id}>
          {" "}
          · {originOf(row, language)}
        </span>
      )}
    </p>
  );
}

/** What a message says stands below it, so that only where it comes from is named. */
function originOf(row: LedgerRow, language: Language): string {
  const { who, label } = describeRow(row, language);
  return row.kind === "generated" ? who : label;
}

const rowsOf = madeOnce((build: ComparedBuild) => provenance(build.ledger));

interface ChangedCellsProps extends Pick<ComparisonRowProps, "left" | "right"> {
  readonly from: number;
  readonly to: number;
}

/** Both texts whole; what only one of them has is marked, in colour and for screen readers. */
function ChangedCells({ left, right, from, to }: ChangedCellsProps): ReactElement {
  const pieces = wordDiff(messageText(left.messages[from]?.content), messageText(right.messages[to]?.content));
  const side = (own: "left" | "right"): ReactElement => (
    <div className={box}>
      <CellHead build={own === "left" ? left : right} position={own === "left" ? from : to} />
      <div className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {pieces.map((piece, index) => {
          if (piece.side !== own && piece.side !== "both") return null;
          if (piece.side === "both") return piece.text;
          const Mark = own === "left" ? "del" : "ins";
          return (
            // The pieces of one comparison never change their order.
            // oxlint-disable-next-line react/no-array-index-key
            <Mark key={index} className={own === "left" ? "rounded-xs bg-removed" : "rounded-xs bg-added no-underline"}>
              {piece.text}
            </Mark>
          );
        })}
      </div>
    </div>
  );
  return (
    <>
      {side("left")}
      {side("right")}
    </>
  );
}
