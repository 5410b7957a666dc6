import { type TavernKind, tavernKinds } from "@galley/engine/sillytavern";
import { X } from "lucide-react";
import type { ReactElement } from "react";
import { importText } from "../../i18n/import.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { Select } from "../../kit/select.tsx";
import { Tag } from "../../kit/tag.tsx";
import type { ReadFile } from "./read-import.ts";

export interface FileListProps {
  readonly files: readonly ReadFile[];
  readonly onRemove: (name: string) => void;
  readonly onKind: (name: string, kind: TavernKind) => void;
}

/** The files that were dropped: what each is, or why it cannot be read and what it might be. */
export function FileList({ files, onRemove, onKind }: FileListProps): ReactElement {
  const text = useText(importText);
  const kinds = tavernKinds.map((id) => ({ id, label: text.kinds[id] }));
  return (
    <section aria-label={text.files}>
      <h2 className="mb-2 text-base font-semibold">{text.files}</h2>
      <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
        {files.map(({ name, kind, error }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="min-w-0 flex-1 font-mono text-xs break-all">{name}</span>
            {kind && <Tag tone="good">{text.kinds[kind]}</Tag>}
            {error && (
              <Select
                aria-label={`${text.kind}: ${name}`}
                className="w-44"
                placeholder={text.byContent}
                options={kinds}
                value={undefined}
                onChange={(as) => onKind(name, as)}
              />
            )}
            <IconButton label={text.remove(name)} size="small" onPress={() => onRemove(name)}>
              <X aria-hidden size={14} />
            </IconButton>
            {error && (
              <p role="alert" className="w-full text-bad">
                {error.message} <span className="text-muted">{error.hint}</span>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
