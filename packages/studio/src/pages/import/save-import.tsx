import { type ReactElement, useState } from "react";
import { ApiError } from "galley/api/client";
import { call } from "../../api/call.ts";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Checkbox, TextField } from "../../kit/fields.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { type ReadImport, chatMessages, nameFor } from "./read-import.ts";

export interface SaveImportProps {
  readonly made: ReadImport;
  readonly onSaved: () => void;
  readonly onDone: () => void;
}

type Step =
  | { readonly kind: "asking" }
  | { readonly kind: "saving" }
  | { readonly kind: "taken"; readonly version: number }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "saved"; readonly preset: string | undefined; readonly chat: string | undefined };

/** Saves the preset under a name of its own and, if wanted, what was said as a chat that uses it. */
export function SaveImport({ made, onSaved, onDone }: SaveImportProps): ReactElement {
  const text = useText(importText);
  const messages = chatMessages(made.entries);
  const [name, setName] = useState(() => nameFor(made.preset, made.files));
  const [chat, setChat] = useState(() => nameFor(made.preset, made.files));
  const [hasChat, setHasChat] = useState(messages.length > 0);
  const [step, setStep] = useState<Step>({ kind: "asking" });

  const save = async (expectedVersion: number): Promise<void> => {
    setStep({ kind: "saving" });
    try {
      if (made.preset) {
        const body = { preset: made.preset, expectedVersion, label: "import" };
        await call("presets.save", { params: { id: name }, body });
      }
      const key = hasChat && messages.length > 0 ? chat : undefined;
      if (key !== undefined) {
        await call("chats.add", { params: { key }, body: { messages: [...messages] } });
        if (made.preset) await call("chats.settings", { params: { key }, body: { preset: name } });
      }
      setStep({ kind: "saved", preset: made.preset && name, chat: key });
      onSaved();
    } catch (error) {
      const version = error instanceof ApiError && error.status === 409 ? await versionOf(name) : undefined;
      setStep(version === undefined ? { kind: "failed", error } : { kind: "taken", version });
    }
  };

  if (step.kind === "saved") return <Saved preset={step.preset} chat={step.chat} onDone={onDone} />;
  return (
    // Stays in sight: the report and the preview above it may be many screens long.
    <section
      aria-label={text.save}
      className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4 md:sticky md:bottom-3 md:shadow-lg"
    >
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        {made.preset && <TextField label={text.presetName} className="w-64" value={name} onChange={setName} />}
        {messages.length > 0 && (
          <>
            <div className="pb-1.5">
              <Checkbox isSelected={hasChat} onChange={setHasChat}>
                {text.chatToo(messages.length)}
              </Checkbox>
            </div>
            {hasChat && <TextField label={text.chatKey} className="w-64" value={chat} onChange={setChat} />}
          </>
        )}
        <Button look="primary" isDisabled={step.kind === "saving" || name.trim() === ""} onPress={() => void save(0)}>
          {step.kind === "saving" ? text.saving : text.save}
        </Button>
      </div>
      {step.kind === "failed" && <ErrorNotice error={step.error} />}
      {step.kind === "taken" && (
        <div role="alert" className="flex flex-wrap items-center gap-3 text-warn">
          {text.taken(name)}
          <Button size="small" onPress={() => void save(step.version)}>
            {text.replace}
          </Button>
        </div>
      )}
    </section>
  );
}

async function versionOf(id: string): Promise<number | undefined> {
  try {
    return (await call("presets.get", { params: { id } })).version;
  } catch {
    return undefined;
  }
}

interface SavedProps {
  readonly preset: string | undefined;
  readonly chat: string | undefined;
  readonly onDone: () => void;
}

function Saved({ preset, chat, onDone }: SavedProps): ReactElement {
  const text = useText(importText);
  return (
    <section
      role="status"
      aria-label={text.save}
      className="flex flex-wrap items-center gap-x-5 gap-y-2 rounded-md border border-good bg-good-soft p-4"
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
