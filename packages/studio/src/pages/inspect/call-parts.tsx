import type { LedgerRow, ToolSpec } from "@galley/engine";
import { type DescribeOptions, describeRow, rowSource } from "@galley/engine/proof";
import { type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useQueryState } from "../../frame/location.tsx";
import { inspectText } from "../../i18n/inspect.ts";
import { placeText } from "../../i18n/place.ts";
import { useFormats, useLanguage, useText } from "../../i18n/use-text.ts";
import { classes } from "../../kit/classes.ts";
import { Tabs } from "../../kit/tabs.tsx";
import { jsonText } from "../../message/message-blocks.ts";
import { MessageList, type MessageListHandle } from "../../message/message-list.tsx";
import { namesInLog, unsentMessages } from "../../message/message-names.ts";
import { NotSentList, countRows, notSentRows } from "../../message/not-sent-list.tsx";
import { nameOf, rowKey, sourceLook } from "../../message/row-look.ts";
import { RecallField } from "../../place/recall-field.tsx";
import { SettingTable } from "../../place/setting-table.tsx";
import { hasSettings } from "../../place/place-of.ts";
import { useCallNames } from "./call-names.ts";
import { type Call, CallReply } from "./call-summary.tsx";
import { EarlierMessages, useLog } from "./earlier-messages.tsx";
import { RawRequest } from "./raw-request.tsx";

interface CallPartsProps {
  readonly call: Call;
  readonly scroll: RefObject<HTMLElement | null>;
}

/** Messages, what was not sent, tools and the raw request; which of them is shown is part of the URL. */
export function CallParts({ call, scroll }: CallPartsProps): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const { query, setQuery } = useQueryState();
  const words = useText(placeText);
  const left = notSentRows(call.ledger);
  const named = useCallNames(call);
  const set = call.settings.filter(({ from }) => from !== "default").length;
  const parts = [
    {
      id: "messages",
      label: text.messages(number(call.messages.length)),
      content: <Messages call={call} scroll={scroll} />,
    },
    {
      id: "not-sent",
      label: text.notSent(number(countRows(left))),
      content: (
        <>
          <div className="border-b border-line p-3">
            <RecallField session={call.session} />
          </div>
          <EarlierMessages call={call} scroll={scroll} />
          <LeftOut call={call} rows={left} scroll={scroll} named={named} />
        </>
      ),
    },
    { id: "tools", label: text.tools(number(call.tools.length)), content: <ToolList tools={call.tools} /> },
    {
      id: "settings",
      label: words.setHere(number(set)),
      content: (
        <div className="p-3">
          <SettingTable settings={call.settings} />
        </div>
      ),
    },
    { id: "raw", label: text.raw, content: <RawRequest call={call} /> },
  ];
  return (
    <Tabs
      label={text.tabs}
      tabs={parts}
      scrolls={false}
      value={parts.find(({ id }) => id === query["part"])?.id ?? "messages"}
      onChange={(id) => setQuery({ part: id === "messages" ? undefined : id })}
    />
  );
}

interface LeftOutProps extends CallPartsProps {
  readonly rows: readonly LedgerRow[];
  readonly named: DescribeOptions;
}

/** What was left out; messages by how they begin, which the log says. */
function LeftOut({ call, rows, scroll, named }: LeftOutProps): ReactElement {
  const ids = useMemo(() => unsentMessages(rows), [rows]);
  const { entries } = useLog(call.session, ids.size > 0 && hasSettings(call.session));
  const names = useMemo(
    () => new Map([...(named.names ?? []), ...namesInLog(entries ?? [], ids)]),
    [named.names, entries, ids],
  );
  return <NotSentList rows={rows} scroll={scroll} recipe={named.recipe} names={names} />;
}

/** The inputs beside the messages; pointing at one, or going to it by keyboard, shows the other. */
function Messages({ call, scroll }: CallPartsProps): ReactElement {
  const [linked, setLinked] = useState<string | undefined>();
  const named = useCallNames(call);
  const list = useRef<MessageListHandle>(null);
  const { entry } = useQueryState().query;
  const wanted = call.ledger.find(({ kind, id }) => kind === "message" && id === entry)?.position;
  useEffect(() => {
    if (wanted !== undefined) list.current?.goTo(wanted);
  }, [wanted]);
  return (
    <div className="flex items-start max-lg:flex-col">
      <CallInputs
        call={call}
        named={named}
        linked={linked}
        onLink={setLinked}
        onGo={(position) => list.current?.goTo(position)}
      />
      <div className="flex min-w-0 flex-1 items-start self-stretch max-xl:flex-col max-lg:w-full lg:border-l lg:border-line">
        <div className="w-full min-w-0 self-stretch max-xl:order-last xl:flex-1 xl:border-r xl:border-line">
          <MessageList
            messages={call.messages}
            ledger={call.ledger}
            {...named}
            stablePrefix={call.stablePrefix}
            scroll={scroll}
            linked={linked}
            onLink={setLinked}
            marked={wanted}
            handle={list}
          />
        </div>
        <CallReply call={call} />
      </div>
    </div>
  );
}

/** The tools that the model was offered, in the order in which they were sent. */
function ToolList({ tools }: { readonly tools: readonly ToolSpec[] }): ReactElement {
  const text = useText(inspectText);
  if (tools.length === 0) return <p className="p-4 text-muted">{text.noTools}</p>;
  return (
    <ul>
      {tools.map((tool) => (
        <li key={tool.name} className="border-b border-line px-4 py-2">
          <p className="font-mono font-semibold">{tool.name}</p>
          {tool.description && <p className="text-muted">{tool.description}</p>}
          <details className="mt-1">
            <summary className="text-xs text-muted">{text.schema}</summary>
            <pre className="mt-1 overflow-auto rounded-sm bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
              {jsonText(tool.inputSchema)}
            </pre>
          </details>
        </li>
      ))}
    </ul>
  );
}

interface CallInputsProps {
  readonly call: Call;
  readonly named: DescribeOptions;
  readonly linked: string | undefined;
  readonly onLink: (row: string | undefined) => void;
  readonly onGo: (position: number) => void;
}

/** The steps and fragments of the preset with what became of them, each tied to its message by colour and highlight. */
function CallInputs({ call, named, linked, onLink, onGo }: CallInputsProps): ReactElement | null {
  const text = useText(inspectText);
  const rows = call.ledger.filter(({ kind }) => kind !== "message" && kind !== "earlier");
  // A log has no inputs but the conversation itself.
  if (rows.every(({ fate }) => fate === "anchor")) return null;
  return (
    <section aria-label={text.inputs} className="w-full shrink-0 p-3 lg:sticky lg:top-0 lg:w-72">
      <h2 className="font-semibold">{text.inputs}</h2>
      <p className="mb-2 text-xs text-muted">{text.inputsHint}</p>
      <ul className="flex flex-col gap-1.5 max-lg:max-h-60 max-lg:overflow-y-auto lg:max-h-[70vh] lg:overflow-y-auto">
        {rows.map((row) => (
          <li key={rowKey(row)}>
            <InputRow row={row} named={named} isLinked={rowKey(row) === linked} onLink={onLink} onGo={onGo} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface InputRowProps extends Omit<CallInputsProps, "call" | "linked"> {
  readonly row: LedgerRow;
  readonly isLinked: boolean;
}

function InputRow({ row, named, isLinked, onLink, onGo }: InputRowProps): ReactElement {
  const text = useText(inspectText);
  const language = useLanguage();
  const { number } = useFormats();
  const { who, label, sentence } = describeRow(row, language, named);
  const { position } = row;
  const key = rowKey(row);
  const name = nameOf(row, named.names) ?? (row.kind === "step" ? row.id : who);
  const outcome = row.fate === "anchor" ? text.inputAnchor : text.inputLeftOut;
  return (
    <button
      type="button"
      title={`${sentence} (${row.id})`}
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
        <span className="line-clamp-2 wrap-anywhere">{name}</span>
        <span className="block text-xs text-muted">{position === undefined ? outcome : label}</span>
      </span>
      {position !== undefined && row.tokens !== undefined && (
        <span className="shrink-0 text-muted tabular-nums">{number(row.tokens)}</span>
      )}
    </button>
  );
}
