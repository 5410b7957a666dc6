import { type SessionEntry, tokenAccount } from "@galley/engine";
import { chatKeyOf, parsePlaceId } from "galley/api/client";
import { CircleAlert } from "lucide-react";
import { type ReactElement, memo, useMemo, useRef } from "react";
import { Label, Slider as AriaSlider, SliderThumb, SliderTrack } from "react-aria-components";
import { describeError } from "../../../api/describe-error.ts";
import { useApi } from "../../../api/use-api.ts";
import { formatSource, readHistoryFile } from "../../../document/history-source.ts";
import { roughTokenizer } from "../../../document/rough-tokenizer.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { labelText } from "../../../kit/classes.ts";
import { NumberField, Select, TextField } from "../../../kit/fields.tsx";
import { showToast } from "../../../kit/notices.tsx";
import { NotSent } from "./not-sent.tsx";
import { PreviewFigures } from "./preview-figures.tsx";
import { PreviewMessages } from "./preview-messages.tsx";
import { RawButton } from "./raw-dialog.tsx";
import { useBuiltMarks, useEditor, usePreview } from "../state/editor-state.ts";
import { useSource } from "../state/use-history.ts";

/** What the model would read, to the byte, while it is being shaped. */
export const PreviewPanel = memo(function PreviewPanel(): ReactElement {
  const text = useText(composeText);
  const marks = useBuiltMarks();
  return (
    <section aria-label={text.preview} {...marks} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 pt-3 pb-2">
        <div className="flex items-center gap-3">
          <h2 className="shrink-0 font-semibold max-lg:sr-only">{text.preview}</h2>
          <MessageCount />
          <HistorySelect />
          <RawButton />
        </div>
        <NextMessage />
        <BudgetSlider />
        <PreviewFigures />
      </div>
      <PreviewError />
      <PreviewMessages />
      <NotSent />
    </section>
  );
});

function MessageCount(): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  const count = usePreview((state) => state.preview?.build.messages.length ?? 0);
  const engineMs = usePreview((state) => state.engineMs);
  return (
    <span data-testid="message-count" data-engine-ms={engineMs} className="shrink-0 text-muted">
      {text.messagesCount(formats.number(count))}
    </span>
  );
}

/** Why nothing can be built, with the excess where it does not fit. */
function PreviewError(): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const error = usePreview((state) => state.error);
  const hasPreview = usePreview((state) => state.preview !== undefined);
  if (!error) return null;
  const excess = error.code === "ContextOverflow" ? /is (\d+) tokens too large/.exec(error.message)?.[1] : undefined;
  return (
    <div role="alert" className="flex shrink-0 gap-2 border-b border-bad bg-bad-soft p-3 text-xs">
      <CircleAlert aria-hidden size={16} className="shrink-0 text-bad" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-semibold text-bad" data-excess={excess}>
          {excess === undefined ? text.cannotBuild : text.tooLarge(formats.number(Number(excess)))}
        </p>
        <p>{error.message}</p>
        {error.hint && <p>{error.hint}</p>}
        <p className="font-mono text-2xs text-muted">
          {error.code}
          {error.path && ` · ${error.path}`}
        </p>
        {hasPreview && <p className="text-muted">{text.showsBefore}</p>}
      </div>
    </div>
  );
}

const account = tokenAccount(roughTokenizer);

/** One, two or five times a power of ten, and not less than the number. */
function niceAbove(number: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, number)));
  return power * ([1, 2, 5, 10].find((factor) => power * factor >= number) ?? 10);
}

/** As far as more budget would change anything: about twice what there is to send. */
function rangeOf(entries: readonly SessionEntry[], window: number): { readonly max: number; readonly step: number } {
  let tokens = 0;
  for (const entry of entries) if (entry.type === "message") tokens += account.countMessage(entry.message);
  const max = Math.min(window, niceAbove(Math.max(2000, tokens * 2)));
  return { max, step: Math.max(1, niceAbove(max / 200)) };
}

/** The budget moves the preview while it is dragged or stepped; at its end it is what the place or the model has. */
function BudgetSlider(): ReactElement {
  const text = useText(composeText);
  const { preview } = useEditor();
  const { setQuery } = useQueryState();
  const budget = usePreview((state) => state.budget);
  const window = usePreview((state) => state.limit);
  const entries = usePreview((state) => state.entries);
  const { max, step } = useMemo(() => rangeOf(entries, window), [entries, window]);
  const valueOf = (position: number): number => (position >= max ? window : Math.max(1, position));
  const keep = (value: number): void => setQuery({ budget: value === window ? undefined : value });
  return (
    <div className="flex items-center gap-3">
      <AriaSlider<number>
        value={Math.min(budget, max)}
        minValue={step}
        maxValue={max}
        step={step}
        onChange={(position) => preview.set({ budget: valueOf(position) })}
        onChangeEnd={(position) => keep(valueOf(position))}
        className="flex min-w-0 flex-1 items-center gap-3"
      >
        <Label className={`${labelText} shrink-0`}>{text.budget}</Label>
        <SliderTrack className="relative h-5 min-w-16 flex-1 before:absolute before:inset-x-0 before:top-1/2 before:h-1 before:-translate-y-1/2 before:rounded-full before:bg-edge">
          <SliderThumb className="top-1/2 size-3.5 rounded-full border-2 border-canvas bg-accent shadow-float data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-1 data-[focus-visible]:outline-accent" />
        </SliderTrack>
      </AriaSlider>
      <NumberField
        aria-label={text.budgetValue}
        value={budget}
        minValue={1}
        step={1}
        onChange={(value) => {
          if (!Number.isFinite(value)) return;
          preview.set({ budget: value });
          keep(value);
        }}
      />
    </div>
  );
}

/** What the user would say: with it, the preview of a place is its next call, and has its digest [T14]. */
function NextMessage(): ReactElement | null {
  const text = useText(composeText);
  const { preview } = useEditor();
  const { kind } = useSource();
  const say = usePreview((state) => state.say);
  if (kind !== "chat" && kind !== "session") return null;
  return (
    <TextField
      aria-label={text.say}
      placeholder={text.sayHint}
      value={say}
      onChange={(value) => preview.set({ say: value })}
    />
  );
}

/** Which conversation the preview is built with: a sample, none, a chat, a session, or a file. */
function HistorySelect(): ReactElement {
  const text = useText(composeText);
  const { preview } = useEditor();
  const { setQuery } = useQueryState();
  const source = useSource();
  const input = useRef<HTMLInputElement>(null);
  const chats = useApi("chats.list", {}).data?.chats ?? [];
  const sessions = useApi("sessions.list", {}).data?.sessions ?? [];
  const options = [
    { id: "sample", label: text.sample },
    { id: "none", label: text.none },
    ...chats.slice(0, 100).map(({ key, title }) => ({ id: `chat:${key}`, label: text.chatSource(title || key) })),
    ...sessions
      .filter(({ id }) => chatKeyOf(parsePlaceId(id)) === undefined)
      .slice(0, 100)
      .map(({ id, title }) => ({ id: `session:${id}`, label: text.sessionSource(title || id) })),
    ...(source.kind === "file" ? [{ id: formatSource(source), label: text.fileNamed(source.id) }] : []),
    { id: "file", label: text.fileSource },
  ];
  const read = async (file: File): Promise<void> => {
    try {
      const entries = readHistoryFile(file.name.replace(/\.[^.]*$/, ""), new Uint8Array(await file.arrayBuffer()));
      setQuery({ source: formatSource({ kind: "file", id: file.name }) });
      preview.setHistory({ entries });
    } catch (error) {
      const { message, hint } = describeError(error);
      showToast({ text: [message, hint].filter(Boolean).join(" "), tone: "bad" });
    }
  };
  return (
    <>
      <Select
        aria-label={text.history}
        options={options}
        value={formatSource(source)}
        onChange={(id) => {
          if (id === "file") input.current?.click();
          else setQuery({ source: id });
        }}
        className="ml-auto max-w-44 flex-1"
      />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={text.fileSource}
        accept=".jsonl,.json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void read(file);
          event.target.value = "";
        }}
      />
    </>
  );
}
