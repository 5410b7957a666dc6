import type { LogFormat } from "@galley/engine/logs";
import { type TavernKind, tavernKinds } from "@galley/engine/sillytavern";
import { FileUp, X } from "lucide-react";
import type { ReactElement } from "react";
import { DropZone, FileTrigger, Text, isFileDropItem } from "react-aria-components";
import { describeError } from "../../api/describe-error.ts";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { Select } from "../../kit/fields.tsx";
import { showToast } from "../../kit/notices.tsx";
import { Tag } from "../../kit/tag.tsx";
import { droppedLogFormat } from "./import-logs.ts";
import type { GivenFile, ReadFile } from "./read-import.ts";
import { Section } from "../../kit/section.tsx";

interface FileDropProps {
  /** There are files already; the zone steps back. */
  readonly isSmall: boolean;
  readonly onFiles: (files: readonly GivenFile[]) => void;
  /** A log of an agent, of any size. */
  readonly onLog: (file: File, format: LogFormat) => void;
}

const maxBytes = 256 * 1024 * 1024;

/** Takes files by drop, by paste or by the file dialog. */
export function FileDrop({ isSmall, onFiles, onLog }: FileDropProps): ReactElement {
  const text = useText(importText);
  const take = async (files: readonly File[]): Promise<void> => {
    const read: GivenFile[] = [];
    for (const file of files) {
      const format = await droppedLogFormat(file).catch(() => undefined);
      if (format !== undefined) {
        onLog(file, format);
        continue;
      }
      if (file.size > maxBytes) {
        showToast({ text: `${file.name}: ${text.tooLarge}`, tone: "bad" });
        continue;
      }
      try {
        read.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      } catch (error) {
        // It was moved or deleted since it was chosen.
        showToast({ text: `${file.name}: ${describeError(error).message}`, tone: "bad" });
      }
    }
    onFiles(read);
  };
  return (
    <DropZone
      aria-label={text.dropHere}
      getDropOperation={() => "copy"}
      onDrop={(event) => {
        const files = event.items.filter(isFileDropItem).map((item) => item.getFile());
        void Promise.all(files).then(take);
      }}
      className={classes(
        "flex flex-col items-center gap-2 rounded-lg border-2 border-dashed border-edge px-4 text-center data-[drop-target]:border-accent data-[drop-target]:bg-accent-soft data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent",
        isSmall ? "py-3" : "py-12",
      )}
    >
      {!isSmall && <FileUp aria-hidden size={28} className="text-muted" />}
      <Text slot="label" className={isSmall ? "sr-only" : "text-base font-semibold"}>
        {text.dropHere}
      </Text>
      {!isSmall && <p className="max-w-xl text-muted">{text.dropLead}</p>}
      <FileTrigger allowsMultiple onSelect={(list) => void take([...(list ?? [])])}>
        <Button look={isSmall ? "plain" : "primary"}>{text.choose}</Button>
      </FileTrigger>
    </DropZone>
  );
}

interface FileListProps {
  readonly files: readonly ReadFile[];
  readonly onRemove: (name: string) => void;
  readonly onKind: (name: string, kind: TavernKind) => void;
}

/** The files that were dropped: what each is, or why it cannot be read and what it might be. */
export function FileList({ files, onRemove, onKind }: FileListProps): ReactElement {
  const text = useText(importText);
  const kinds = tavernKinds.map((id) => ({ id, label: text.kinds[id] }));
  return (
    <Section title={text.files}>
      <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
        {files.map(({ name, kind, error, canBeNamed }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="min-w-0 flex-1 font-mono text-xs break-all">{name}</span>
            {kind && <Tag tone="good">{text.kinds[kind]}</Tag>}
            {canBeNamed && (
              <Select
                aria-label={`${text.kind}: ${name}`}
                className="w-44"
                placeholder={text.byContent}
                options={kinds}
                value={undefined}
                onChange={(as) => onKind(name, as)}
              />
            )}
            <IconButton label={text.remove(name)} size="small" onPress={() => onRemove(name)} icon={X} />
            {error && (
              <p role="alert" className="w-full text-bad">
                {error.message} <span className="text-muted">{error.hint}</span>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
