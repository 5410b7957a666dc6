import { type ReactElement, useEffect, useRef, useState } from "react";
import { Link, navigate } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Checkbox, TextField } from "../../kit/fields.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { type ReadImport, countLines, nameFor } from "./read-import.ts";
import { call } from "../../api/call.ts";

export interface SaveImportProps {
  readonly made: ReadImport;
  readonly onSaved: () => void;
  readonly onDone: () => void;
}

/** `talk` goes on to the chat. */
type Goal = "save" | "talk";

type Step =
  | { readonly kind: "asking" }
  | { readonly kind: "saving" }
  | { readonly kind: "taken"; readonly taken: Taken; readonly goal: Goal }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "saved"; readonly preset: string | undefined; readonly chat: string | undefined };

/** Saves the preset under a name of its own and, if wanted, what was said as a chat that uses it; or goes on to talk. */
export function SaveImport({ made, onSaved, onDone }: SaveImportProps): ReactElement {
  const text = useText(importText);
  const { messages, others } = countLines(made.entries);
  const [name, setName] = useState(() => nameFor(made.preset, made.files));
  const [chat, setChat] = useState(() => nameFor(made.preset, made.files));
  const [hasChat, setHasChat] = useState(messages > 0);
  const [step, setStep] = useState<Step>({ kind: "asking" });

  const save = async (goal: Goal, agreed?: Taken): Promise<void> => {
    const isKept = goal === "talk" || (hasChat && messages > 0);
    const names = { preset: name.trim(), chat: isKept ? chat.trim() : undefined };
    setStep({ kind: "saving" });
    try {
      const taken = await findTaken(made, names);
      // What is there must be what was asked about.
      if (taken && JSON.stringify(taken) !== JSON.stringify(agreed)) return setStep({ kind: "taken", taken, goal });
      await keepImport(made, names, taken);
      onSaved();
      setStep({ kind: "saved", preset: made.preset && names.preset, chat: names.chat });
      if (goal === "talk") navigate(pathTo("chats", { key: chat.trim() }));
    } catch (error) {
      setStep({ kind: "failed", error });
    }
  };

  if (step.kind === "saved") return <Saved preset={step.preset} chat={step.chat} onDone={onDone} />;
  const isBusy = step.kind === "saving" || name.trim() === "" || chat.trim() === "";
  return (
    // Stays in sight: the report and the preview above it may be many screens long.
    <section
      aria-label={text.save}
      className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4 md:sticky md:bottom-3 md:shadow-lg"
    >
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        {made.preset && <TextField label={text.presetName} className="w-56" value={name} onChange={setName} />}
        {messages > 0 && (
          <>
            <div className="pb-1.5">
              <Checkbox isSelected={hasChat} onChange={setHasChat}>
                {text.chatToo(messages, others)}
              </Checkbox>
            </div>
            {hasChat && <TextField label={text.chatKey} className="w-56" value={chat} onChange={setChat} />}
          </>
        )}
        <span className="flex gap-2">
          <Button look={made.preset ? "plain" : "primary"} isDisabled={isBusy} onPress={() => void save("save")}>
            {step.kind === "saving" ? text.saving : text.save}
          </Button>
          {made.preset && (
            <Button look="primary" isDisabled={isBusy} onPress={() => void save("talk")}>
              {text.talk}
            </Button>
          )}
        </span>
      </div>
      {step.kind === "failed" && <ErrorNotice error={step.error} />}
      {step.kind === "taken" && (
        <TakenQuestion name={name.trim()} taken={step.taken} onReplace={() => void save(step.goal, step.taken)} />
      )}
    </section>
  );
}

interface TakenQuestionProps {
  readonly name: string;
  readonly taken: Taken;
  readonly onReplace: () => void;
}

function TakenQuestion({ name, taken, onReplace }: TakenQuestionProps): ReactElement {
  const text = useText(importText);
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-warn">
      <span className="min-w-0">
        {taken.preset !== undefined && <span className="block">{text.taken(name)}</span>}
        {taken.chat !== undefined && <span className="block">{text.chatTaken(taken.chat)}</span>}
      </span>
      <Button size="small" look="danger" onPress={onReplace}>
        {taken.chat === undefined ? text.replace : text.replaceBoth}
      </Button>
    </div>
  );
}

interface SavedProps {
  readonly preset: string | undefined;
  readonly chat: string | undefined;
  readonly onDone: () => void;
}

function Saved({ preset, chat, onDone }: SavedProps): ReactElement {
  const text = useText(importText);
  const place = useRef<HTMLElement>(null);
  // The button that was pressed is gone, and this may be many screens below.
  useEffect(() => place.current?.focus(), []);
  return (
    <section
      ref={place}
      tabIndex={-1}
      role="status"
      aria-label={text.save}
      className="flex flex-wrap items-center gap-x-5 gap-y-2 rounded-md border border-good bg-good-soft p-4 outline-none md:sticky md:bottom-3 md:shadow-lg"
    >
      <p className="font-medium">{text.saved(preset ?? chat ?? "")}</p>
      {preset !== undefined && <Link href={pathTo("compose", { preset })}>{text.openCompose}</Link>}
      {chat !== undefined && <Link href={pathTo("chats", { key: chat })}>{text.openChat}</Link>}
      <Button size="small" onPress={onDone}>
        {text.another}
      </Button>
    </section>
  );
}

/** Under which names an import is kept; without a chat, only its preset. */
interface KeptNames {
  readonly preset: string;
  readonly chat: string | undefined;
}

/** What stands under these names already, and would be replaced. */
interface Taken {
  /** The version of the preset. */
  readonly preset?: number;
  readonly chat?: string;
}

/** Names differ in more than letter case, because they become files. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

async function findTaken({ preset }: ReadImport, names: KeptNames): Promise<Taken | undefined> {
  const { presets } = preset ? await call("presets.list", {}) : { presets: [] };
  const { chats } = names.chat === undefined ? { chats: [] } : await call("chats.list", {});
  const version = presets.find(({ id }) => isSame(id, names.preset))?.version;
  const chat = chats.find(({ key }) => isSame(key, names.chat ?? ""))?.key;
  if (version === undefined && chat === undefined) return undefined;
  return { ...(version !== undefined && { preset: version }), ...(chat !== undefined && { chat }) };
}

/**
 * Saves the preset as the next version of what is there, and what was said as a chat that uses it. A chat of that name is
 * deleted first: an import that is repeated must not be added to the one before.
 */
async function keepImport(made: ReadImport, names: KeptNames, taken: Taken = {}): Promise<void> {
  const { preset } = made;
  if (preset) {
    const body = { preset, expectedVersion: taken.preset ?? 0, label: "import" };
    await call("presets.save", { params: { id: names.preset }, body });
  }
  if (names.chat === undefined) return;
  if (taken.chat !== undefined)
    await call("chats.delete", { params: { key: taken.chat }, query: { confirm: taken.chat } });
  const params = { key: names.chat };
  const entries = made.entries.map((entry) => ({ ...entry }));
  if (entries.length > 0) await call("chats.import", { params, body: { entries } });
  if (preset) await call("chats.settings", { params, body: { preset: names.preset } });
}
