import { GalleyError, type Preset, type Tokenizer, checkPreset, tokenizerForModel } from "@galley/engine";
import { usualLimit } from "@galley/engine/models";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { ApiError } from "galley/api/client";
import { call } from "../../../api/call.ts";
import { useConnection } from "../../../api/connection.ts";
import { markStale } from "../../../api/mark-stale.ts";
import { useApi } from "../../../api/use-api.ts";
import { PresetDocument, type SavedPreset } from "../../../document/preset-document.ts";
import { PreviewStore } from "../../../document/preview-store.ts";
import { sampleConversation } from "../../../document/sample-conversation.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { Page } from "../../../frame/page.tsx";
import { usePreferences } from "../../../browser/preferences.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { ErrorNotice, Spinner } from "../../../kit/notices.tsx";
import { EditorLayout } from "./editor-layout.tsx";
import { type Editor, EditorContext, limitOf, useModels, viewStore } from "../state/editor-state.ts";
import { useHistory, useNextCall } from "../state/use-history.ts";

/** Loads a preset and opens it. It is asked for once: from then on the document is the truth of this page. */
export function PresetEditor({ id }: { readonly id: string }): ReactElement {
  const text = useText(composeText);
  const { data, error, refetch } = useQuery({
    queryKey: ["document", id],
    queryFn: ({ signal }) => call("presets.get", { params: { id } }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (data) return <OpenEditor id={id} saved={data} />;
  if (!error) return <Spinner />;
  return (
    <Page title={text.title}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function openDocument(id: string, saved: SavedPreset): PresetDocument {
  const params = { id };
  return new PresetDocument({
    id,
    saved,
    storage: localStorage,
    now: () => Date.now(),
    library: {
      save: (body) => call("presets.save", { params, body }),
      load: () => call("presets.get", { params }),
      problemOf: firstProblem,
      isConflict: (error) => error instanceof ApiError && error.status === 409,
    },
  });
}

/** The library takes no preset with an error in it. */
function firstProblem(preset: Preset): Error | undefined {
  const problem = checkPreset(preset).find(({ severity }) => severity === "error");
  return problem && new GalleyError(problem.code, problem.message, { path: problem.path, hint: problem.hint });
}

/** The time of the preview, for `{{date}}` and `{{time}}`: when the page was opened, so that the preview rests. */
function timeOfPreview(): string {
  return new Date().toISOString();
}

function openEditor(id: string, saved: SavedPreset, model: string, budget: number): Editor {
  const document = openDocument(id, saved);
  const preview = new PreviewStore(document, {
    model,
    budget,
    now: timeOfPreview(),
    clock: () => performance.now(),
    later: (work) => setTimeout(work),
  });
  preview.setHistory({ entries: sampleConversation });
  return { document, preview, view: viewStore() };
}

/** The model that is built in, for when nothing else is known. */
const fallbackModel = "demo";

function OpenEditor({ id, saved }: { readonly id: string; readonly saved: SavedPreset }): ReactElement {
  // After a lost connection everything is asked for again; the document that is being edited stays.
  const [first] = useState(saved);
  const { query } = useQueryState();
  const info = useApi("info.get", {});
  const preferred = usePreferences((state) => state.defaultModel);
  const chosen = query["model"] ?? (preferred || info.data?.defaultModel);
  const client = useQueryClient();
  const [editor, setEditor] = useState<Editor>();
  const isReady = chosen !== undefined || info.isError;
  useEffect(() => {
    if (!isReady) return undefined;
    const opened = openEditor(id, first, chosen ?? fallbackModel, Number(query["budget"]) || usualLimit().tokens);
    setEditor(opened);
    const leave = (): void => void opened.document.close();
    window.addEventListener("pagehide", leave);
    const stopListening = useConnection.subscribe((now, before) => {
      const { status } = opened.document.store.getState();
      if (before.isOffline && !now.isOffline && status === "failed") void opened.document.saveNow();
    });
    return () => {
      window.removeEventListener("pagehide", leave);
      stopListening();
      opened.preview.close();
      void opened.document.close().then(() => markStale(client, (route) => route === "presets.list"));
    };
    // The document lives as long as the preset is looked at; model and budget only begin it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [id, first, isReady]);
  if (!editor) return <Spinner />;
  return (
    <EditorContext value={editor}>
      <PreviewInputs
        id={id}
        editor={editor}
        model={chosen ?? fallbackModel}
        budget={Number(query["budget"]) || undefined}
      />
      <EditorLayout id={id} />
    </EditorContext>
  );
}

interface PreviewInputsProps {
  readonly id: string;
  readonly editor: Editor;
  readonly model: string;
  readonly budget: number | undefined;
}

/** Hands what the URL says to the preview: model, budget and conversation. */
function PreviewInputs({ id, editor, model, budget }: PreviewInputsProps): null {
  const { preview } = editor;
  const models = useModels();
  const known = useMemo(() => models.find((item) => item.id === model), [models, model]);
  const { next, isFailed } = useNextCall(id, model);
  const limit = next?.config.maxInputTokens ?? limitOf(known);
  // What the daemon counts with, so that Compose and Inspect show the same figures.
  const tokenizerId = next?.tokenizer ?? known?.tokenizer.name;
  useHistory(preview, next, isFailed);
  useEffect(() => {
    const state = preview.store.getState();
    const asked = budget ?? limit;
    if (state.model !== model || state.budget !== asked || state.limit !== limit)
      preview.set({ model, budget: asked, limit });
  }, [preview, model, budget, limit]);
  useEffect(() => {
    let isCurrent = true;
    const count = (tokenizer: Tokenizer): void => {
      if (isCurrent && preview.store.getState().tokenizer !== tokenizer) preview.set({ tokenizer });
    };
    // Without its vocabulary, figures stay estimates, and say so.
    tokenizerForModel(model, tokenizerId === undefined ? {} : { id: tokenizerId }).then(count, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [preview, model, tokenizerId]);
  return null;
}
