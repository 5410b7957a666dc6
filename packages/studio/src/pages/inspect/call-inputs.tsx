import type { LedgerRow } from "@galley/engine";
import { describeRow, rowSource } from "@galley/engine/proof";
import type { ReactElement } from "react";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useLanguage, useText } from "../../i18n/use-text.ts";
import { classes } from "../../kit/classes.ts";
import { rowKey, sourceLook } from "../../message/row-look.ts";
import type { Call } from "./call-summary.tsx";

export interface CallInputsProps {
  readonly call: Call;
  readonly linked: string | undefined;
  readonly onLink: (row: string | undefined) => void;
  readonly onGo: (position: number) => void;
}

/** The steps and fragments of the preset with what became of them, each tied to its message by colour and highlight. */
export function CallInputs({ call, linked, onLink, onGo }: CallInputsProps): ReactElement {
  const text = useText(inspectText);
  const rows = call.ledger.filter(({ kind }) => kind !== "message" && kind !== "earlier");
  return (
    <section aria-label={text.inputs} className="w-full shrink-0 p-3 lg:sticky lg:top-0 lg:w-72">
      <h2 className="font-semibold">{text.inputs}</h2>
      <p className="mb-2 text-xs text-muted">{rows.length > 0 ? text.inputsHint : text.noInputs}</p>
      <ul className="flex flex-col gap-1.5 max-lg:max-h-60 max-lg:overflow-y-auto lg:max-h-[70vh] lg:overflow-y-auto">
        {rows.map((row) => (
          <li key={rowKey(row)}>
            <InputRow
              row={row}
              recipe={call.recipe?.id}
              isLinked={rowKey(row) === linked}
              onLink={onLink}
              onGo={onGo}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface InputRowProps extends Omit<CallInputsProps, "call" | "linked"> {
  readonly row: LedgerRow;
  readonly recipe: string | undefined;
  readonly isLinked: boolean;
}

function InputRow({ row, recipe, isLinked, onLink, onGo }: InputRowProps): ReactElement {
  const text = useText(inspectText);
  const language = useLanguage();
  const { number } = useFormats();
  const { who, label, sentence } = describeRow(row, language, { recipe });
  const { position } = row;
  const key = rowKey(row);
  const name = row.kind === "step" ? row.id : who;
  const outcome = row.fate === "anchor" ? text.inputAnchor : text.inputLeftOut;
  return (
    <button
      type="button"
      title={sentence}
      data-input={row.id}
      data-linked={isLinked || undefined}
      className={classes(
        "flex w-full cursor-default items-baseline gap-2 rounded-md border border-l-4 border-line px-2 py-1.5 text-left",
        sourceLook[row.fate === "anchor" ? "history" : rowSource(row)].edge,
        isLinked && "bg-accent-soft",
        position === undefined && "text-muted",
      )}
      onPointerEnter={() => onLink(key)}
      onPointerLeave={() => onLink(undefined)}
      onFocus={() => onLink(key)}
      onBlur={() => onLink(undefined)}
      onClick={() => position !== undefined && onGo(position)}
    >
      <span className="min-w-0 flex-1">
        <span className={row.kind === "step" ? "font-mono" : ""}>{name}</span>
        <span className="block text-xs text-muted">{position === undefined ? outcome : label}</span>
      </span>
      {position !== undefined && row.tokens !== undefined && (
        <span className="shrink-0 text-muted tabular-nums">{number(row.tokens)}</span>
      )}
    </button>
  );
}
