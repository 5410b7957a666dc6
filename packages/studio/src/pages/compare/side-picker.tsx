import { FileUp, X } from "lucide-react";
import { type ReactElement, useState } from "react";
import { DropZone, type DropZoneProps, FileTrigger } from "react-aria-components";
import { useSessionNames } from "../../api/session-names.ts";
import { firstWords } from "../../api/words.ts";
import { useApi } from "../../api/use-api.ts";
import { compareText } from "../../i18n/compare.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { Select } from "../../kit/fields.tsx";
import { Tag } from "../../kit/tag.tsx";
import { messageText } from "../../message/message-blocks.ts";
import { type ComparedBuild, readBuildFile } from "./build-file.ts";
import type { CallReference } from "./call-reference.ts";

type DropEvent = Parameters<NonNullable<DropZoneProps["onDrop"]>>[0];

export interface BuildFile {
  readonly name: string;
  readonly build: ComparedBuild;
}

export interface SidePickerProps {
  readonly label: string;
  readonly call: CallReference | undefined;
  readonly file: BuildFile | undefined;
  /** What was chosen, once it is there. */
  readonly build: ComparedBuild | undefined;
  readonly onCall: (call: CallReference) => void;
  readonly onFile: (file: BuildFile | undefined) => void;
}

/** Chooses one side: a call of a session, or a build file by button or by drop. */
export function SidePicker({ label, call, file, build, onCall, onFile }: SidePickerProps): ReactElement {
  const text = useText(compareText);
  const [error, setError] = useState<Error | undefined>();
  const take = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    try {
      onFile({ name: chosen.name, build: readBuildFile(await chosen.text()) });
      setError(undefined);
    } catch (cause) {
      const message = `${text.badFile(chosen.name)} ${cause instanceof Error ? cause.message : ""}`;
      setError(Object.assign(new Error(message, { cause }), { code: "ContextInvalidInput", hint: text.badFileHint }));
    }
  };
  const onDrop = async ({ items }: DropEvent): Promise<void> => {
    const dropped = items.find((item) => item.kind === "file");
    if (dropped) await take(await dropped.getFile());
  };
  return (
    <section aria-label={label} className="min-w-0">
      <DropZone
        aria-label={text.dropHere}
        className="min-w-0 rounded-md border border-line p-3 data-[drop-target]:border-accent data-[drop-target]:bg-accent-soft data-[focus-visible]:outline-2"
        onDrop={(event) => void onDrop(event)}
      >
        <div className="flex flex-wrap items-end gap-2">
          <h2 className="w-full font-semibold">{label}</h2>
          {file ? (
            <>
              <Tag mono>{file.name}</Tag>
              <IconButton label={text.remove} size="small" onPress={() => onFile(undefined)} icon={X} />
            </>
          ) : (
            <CallPicker label={label} call={call} onCall={onCall} />
          )}
          <FileTrigger acceptedFileTypes={["application/json", ".json"]} onSelect={(files) => void take(files?.[0])}>
            <Button icon={FileUp}>{text.chooseFile}</Button>
          </FileTrigger>
        </div>
        {build ? (
          <p className="mt-1.5 truncate text-muted">
            <q>{questionOf(build)}</q>
          </p>
        ) : (
          <p className="mt-1.5 text-xs text-muted max-md:hidden">{text.dropHere}</p>
        )}
        {error && (
          <div className="mt-2">
            <ErrorNotice error={error} />
          </div>
        )}
      </DropZone>
    </section>
  );
}

/** A call is known by what was asked in it. */
function questionOf({ messages }: ComparedBuild): string {
  return firstWords(messageText(messages.findLast(({ role }) => role === "user")?.content ?? ""));
}

type CallPickerProps = Pick<SidePickerProps, "label" | "call" | "onCall">;

function CallPicker({ label, call, onCall }: CallPickerProps): ReactElement {
  const text = useText(compareText);
  const { number } = useFormats();
  const nameOf = useSessionNames();
  const sessions = useApi("sessions.list", {});
  const [session, setSession] = useState(call?.session);
  const chosen = call?.session ?? session;
  const calls = useApi("sessions.get", { params: { id: chosen ?? "" } }, { isEnabled: chosen !== undefined });
  const known = sessions.data?.sessions.map(({ id }) => id) ?? [];
  const ids = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
  return (
    <>
      <Select
        aria-label={`${label}: ${text.session}`}
        className="min-w-40 flex-1"
        placeholder={text.chooseSession}
        options={ids.map((id) => ({ id, label: nameOf(id) }))}
        value={chosen}
        onChange={(id) => {
          setSession(id);
          const newest = sessions.data?.sessions.find((item) => item.id === id)?.calls;
          if (newest !== undefined) onCall({ session: id, n: newest });
        }}
      />
      <Select
        aria-label={`${label}: ${text.call}`}
        className="min-w-32 flex-1"
        placeholder={text.chooseCall}
        isDisabled={chosen === undefined}
        options={(calls.data?.calls ?? [])
          .map(({ n, turn, callOfTurn, inputTokens }) => ({
            id: String(n),
            label: text.callOption(n, turn, callOfTurn),
            note: text.callTokens(number(inputTokens)),
          }))
          .toReversed()}
        value={call && String(call.n)}
        onChange={(n) => chosen !== undefined && onCall({ session: chosen, n: Number(n) })}
      />
    </>
  );
}
