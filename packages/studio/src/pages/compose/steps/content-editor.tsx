import { type ReactElement, Suspense, lazy, useId } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import type { TextEditorProps } from "./text-editor.tsx";
import { labelText } from "../../../kit/classes.ts";

// The editor is as large as all the rest of the page, so that it is loaded when a text is first opened.
const TextEditor = lazy(() => import("./text-editor.tsx").then((module) => ({ default: module.TextEditor })));

export type ContentEditorProps = TextEditorProps;

export function ContentEditor({ label, ...rest }: ContentEditorProps): ReactElement {
  const text = useText(composeText);
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={id} className={labelText}>
        {label}
      </span>
      <Suspense fallback={<div className="rounded-md border border-edge p-2 text-muted">{text.loadingEditor}</div>}>
        <TextEditor label={label} {...rest} />
      </Suspense>
    </div>
  );
}
