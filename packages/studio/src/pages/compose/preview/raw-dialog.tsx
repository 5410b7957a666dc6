import { type WireProvider, exportFor, wireProviders } from "@galley/engine";
import { type ReactElement, useMemo, useState } from "react";
import { describeError } from "../../../api/describe-error.ts";
import { hasSecret, maskSecrets } from "../../../document/mask-secrets.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { scrolls } from "../../../kit/classes.ts";
import { Dialog } from "../../../kit/dialog.tsx";
import { Select } from "../../../kit/fields.tsx";
import { showToast } from "../../../kit/notices.tsx";
import { downloadText } from "../../../browser/download.ts";
import { type ModelItem, useEditor, useModels, usePreview, useView } from "../state/editor-state.ts";
import { CopyButton } from "../../../message/copy-button.tsx";

export function RawButton(): ReactElement {
  const text = useText(composeText);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>{text.raw}</Button>
      {isOpen && <RawDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** The bytes for the provider, with digest, copy and export; secrets are masked in all of them until asked for. */
function RawDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const text = useText(composeText);
  const showsSecrets = useView((state) => state.showsSecrets);
  const model = usePreview((state) => state.model);
  const digest = usePreview((state) => state.digest);
  const kind = useModels().find(({ id }) => id === model)?.kind;
  const [format, setFormat] = useState<WireProvider>(formats[kind ?? "demo"]);
  const raw = useRaw(format);
  const shown = showsSecrets ? raw.text : maskSecrets(raw.text);
  const save = (): void => {
    const file = `${model.replaceAll(/[^\w.-]+/g, "_")}.${format}.json`;
    downloadText(file, shown);
    showToast({ text: text.exported(file) });
  };
  return (
    <Dialog
      title={text.rawTitle}
      onClose={onClose}
      width="wide"
      actions={
        <>
          <CopyButton text={shown} size="normal">
            {text.copy}
          </CopyButton>
          <Button onPress={save}>{text.export}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <RawHead format={format} setFormat={setFormat} bytes={raw.bytes} notes={raw.notes} />
        {raw.error && <p className="text-bad">{raw.error}</p>}
        {hasSecret(raw.text) && <SecretsNote />}
        <pre
          data-testid="raw"
          {...scrolls}
          className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
        >
          {shown}
        </pre>
        <p className="text-xs text-muted">
          {text.digest}{" "}
          <code data-testid="digest" className="font-mono break-all">
            {digest}
          </code>
        </p>
      </div>
    </Dialog>
  );
}

function SecretsNote(): ReactElement {
  const text = useText(composeText);
  const { view } = useEditor();
  const showsSecrets = useView((state) => state.showsSecrets);
  return (
    <div className="flex items-center gap-2 rounded-md bg-warn-soft px-3 py-1.5 text-xs">
      <span className="flex-1">{showsSecrets ? "" : text.secretsMasked}</span>
      <Button size="small" onPress={() => view.setState({ showsSecrets: !showsSecrets })}>
        {showsSecrets ? text.hideSecrets : text.showSecrets}
      </Button>
    </div>
  );
}

interface RawHeadProps {
  readonly format: WireProvider;
  readonly setFormat: (format: WireProvider) => void;
  readonly bytes: number;
  readonly notes: number;
}

function RawHead({ format, setFormat, bytes, notes }: RawHeadProps): ReactElement {
  const text = useText(composeText);
  const formats = useFormats();
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Select
        label={text.rawFormat}
        inline
        options={wireProviders.map((id) => ({ id, label: id }))}
        value={format}
        onChange={setFormat}
      />
      <span className="text-xs text-muted">{text.bytes(formats.number(bytes))}</span>
      {notes > 0 && <span className="text-xs text-muted">{text.wireNotes(notes)}</span>}
    </div>
  );
}

interface ShownRaw {
  readonly text: string;
  readonly bytes: number;
  readonly notes: number;
  readonly error?: string;
}

/** The bytes that go out, or what the provider would refuse. */
function useRaw(format: WireProvider): ShownRaw {
  const build = usePreview((state) => state.preview?.build);
  const model = usePreview((state) => state.model);
  return useMemo(() => {
    if (!build) return { text: "", bytes: 0, notes: 0 };
    try {
      const { messages, tools, stablePrefix } = build;
      // As a call of the model does it: the prefix that stays is marked where a provider wants a mark.
      const cacheBreakpoints = stablePrefix > 0 ? [stablePrefix - 1] : [];
      const { request, notes } = exportFor(format, { messages, tools, cacheBreakpoints, model });
      const text = JSON.stringify(request);
      return { text, bytes: new TextEncoder().encode(text).length, notes: notes.length };
    } catch (error) {
      return { text: "", bytes: 0, notes: 0, error: describeError(error).message };
    }
  }, [build, format, model]);
}

/** The format of the provider that a model is asked through. */
const formats: Readonly<Record<ModelItem["kind"], WireProvider>> = {
  openai: "openai-responses",
  anthropic: "anthropic",
  google: "gemini",
  "openai-compatible": "openai-chat",
  demo: "ai-sdk",
};
