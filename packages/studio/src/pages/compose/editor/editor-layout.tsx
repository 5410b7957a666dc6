import { isAdvanced } from "@galley/engine";
import { type ComponentType, type ReactElement, memo, useMemo, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useShallow } from "zustand/react/shallow";
import { useMedia } from "../../../browser/preferences.ts";
import type { EditPlace } from "../../../document/document-draft.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { Page } from "../../../frame/page.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button, Hint } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Tabs as KitTabs } from "../../../kit/tabs.tsx";
import { EditorActions, SaveProblem } from "./editor-actions.tsx";
import { SleepingEntries } from "./sleeping-entries.tsx";
import { LibraryPanel } from "../library/library-panel.tsx";
import { TemplateDialog } from "../library/template-dialog.tsx";
import { PresetDiff } from "../presets/preset-versions.tsx";
import { PreviewPanel } from "../preview/preview-panel.tsx";
import { LorebookPanel } from "../lorebook/lorebook-panel.tsx";
import { TriggerTest } from "../lorebook/trigger-test.tsx";
import { ModelBox } from "../../../place/model-box.tsx";
import { Workbench } from "../recipes/workbench.tsx";
import {
  type Mode,
  PlaceContext,
  recipeInForce,
  recipeName,
  recipesOf,
  useDocument,
  useEditor,
  useMode,
  usePreview,
  useRecipeInForce,
  useView,
} from "../state/editor-state.ts";
import { SimpleList } from "../steps/simple-list.tsx";
import { useFindable } from "./use-findable.ts";

/** The advanced view shows the recipe whose tab is open; the others the one in force, and edit what it is made of. */
function useCurrentPlace(mode: Mode): EditPlace {
  const { query } = useQueryState();
  const inForce = useRecipeInForce() ?? 0;
  const wanted = mode === "advanced" ? query["recipe"] : undefined;
  const named = useDocument((state) => recipesOf(state.preset).findIndex(({ id }) => id === wanted));
  const recipe = named >= 0 ? named : inForce;
  return useMemo(() => ({ view: mode === "advanced" ? mode : "simple", recipe }), [mode, recipe]);
}

/** Columns would be too narrow to read. */
const narrow = window.matchMedia("(max-width: 1023px)");

export function EditorLayout({ id }: { readonly id: string }): ReactElement {
  const mode = useMode();
  const place = useCurrentPlace(mode);
  const isNarrow = useMedia(narrow);
  useFindable();
  return (
    <PlaceContext value={place}>
      <Panes id={id} mode={mode} isNarrow={isNarrow} />
      <OpenTemplate />
      <ConflictDialog />
    </PlaceContext>
  );
}

interface AllPanesProps extends PanesProps {
  readonly id: string;
  readonly isNarrow: boolean;
}

/** Everything in it takes what it needs by itself: an edit does not redraw all of it. */
const Panes = memo(function Panes({ id, mode, isNarrow }: AllPanesProps): ReactElement {
  const title = useDocument((state) => state.preset.name || id);
  return (
    <Page title={title} layout="fill" header={<EditorHeader />} actions={<EditorActions id={id} />}>
      <SaveProblem />
      <SleepingEntries />
      {isNarrow ? <NarrowPanes mode={mode} /> : <WidePanes mode={mode} />}
    </Page>
  );
});

interface PanesProps {
  readonly mode: Mode;
}

function WidePanes({ mode }: PanesProps): ReactElement {
  if (mode === "lorebook") return <WideLorebook />;
  const columns =
    mode === "advanced"
      ? "grid-cols-[clamp(12.5rem,20vw,19rem)_minmax(20rem,1fr)_clamp(18rem,30vw,27rem)]"
      : "grid-cols-[minmax(20rem,1fr)_clamp(18rem,38vw,32rem)]";
  return (
    <div className={`grid min-h-0 flex-1 ${columns}`}>
      {mode === "advanced" && <LibraryPanel />}
      {mode === "advanced" ? <Workbench /> : <SimpleList />}
      <PreviewPanel />
    </div>
  );
}

/** The table, and beside it what tries it out. */
function WideLorebook(): ReactElement {
  const text = useText(lorebookText);
  const [tab, setTab] = useState<"test" | "preview">("test");
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_clamp(18rem,32vw,28rem)]">
      <LorebookPanel />
      <KitTabs
        label={text.title}
        value={tab}
        onChange={setTab}
        tabs={[
          { id: "test", label: text.test, content: <TriggerTest /> },
          { id: "preview", label: text.preview, content: <PreviewPanel /> },
        ]}
      />
    </div>
  );
}

type PaneOf = readonly [id: "library" | "list" | "test" | "preview", label: string, content: ComponentType];

/** On a narrow screen one pane at a time; nothing there needs a drag. */
function NarrowPanes({ mode }: PanesProps): ReactElement {
  const text = useText(composeText);
  const { query, setQuery } = useQueryState();
  const lore = useText(lorebookText);
  const ofMode: Readonly<Record<Mode, readonly PaneOf[]>> = {
    simple: [["list", text.list, SimpleList]],
    advanced: [
      ["library", text.library, LibraryPanel],
      ["list", text.workbench, Workbench],
    ],
    lorebook: [
      ["list", lore.entries, LorebookPanel],
      ["test", lore.test, TriggerTest],
    ],
  };
  const panes: readonly PaneOf[] = [...ofMode[mode], ["preview", text.preview, PreviewPanel]];
  const open = panes.some(([name]) => name === query["pane"]) ? query["pane"] : "list";
  return (
    <Tabs
      selectedKey={open ?? "list"}
      onSelectionChange={(key) => setQuery({ pane: key === "list" ? undefined : String(key) })}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <TabList aria-label={text.title} className="flex shrink-0 border-b border-line bg-sunken">
        {panes.map(([name, label]) => (
          <Tab
            key={name}
            id={name}
            className="flex-1 cursor-default border-b-2 border-transparent px-1 py-2 text-center whitespace-nowrap text-muted data-[focus-visible]:-outline-offset-2 data-[selected]:border-accent data-[selected]:font-semibold data-[selected]:text-ink"
          >
            {label}
          </Tab>
        ))}
      </TabList>
      {panes.map(([name, , Content]) => (
        <TabPanel key={name} id={name} className="flex min-h-0 flex-1 flex-col">
          <Content />
        </TabPanel>
      ))}
    </Tabs>
  );
}

/** The model, and which recipe it gets by which rule [C2]. */
const EditorHeader = memo(function EditorHeader(): ReactElement {
  const text = useText(composeText);
  const { setQuery } = useQueryState();
  const model = usePreview((state) => state.model);
  return (
    <>
      <ModelBox label={text.model} value={model} onChange={(next) => setQuery({ model: next, recipe: undefined })} />
      <Match model={model} />
    </>
  );
});

function Match({ model }: { readonly model: string }): ReactElement {
  const text = useText(composeText);
  const isList = useDocument((state) => !isAdvanced(state.preset));
  const match = useDocument(
    useShallow((state) => {
      const found = recipeInForce(recipesOf(state.preset), model);
      return found && { name: recipeName(found.recipe) ?? "", pattern: found.pattern, rule: found.rule };
    }),
  );
  if (isList) return <span className="text-xs text-muted">{text.oneList}</span>;
  if (!match) return <span className="text-xs font-medium text-bad">{text.noRecipe}</span>;
  const [before, after] = text.matchedBy("\u0000", match.name).split("\u0000");
  return (
    <Hint text={text.matchRule[match.rule]} className="text-xs text-muted">
      <span data-testid="recipe-match">
        {before}
        <code className="font-mono">{match.pattern}</code>
        {after}
      </span>
    </Hint>
  );
}

/** The template that a step asked to edit. */
function OpenTemplate(): ReactElement | null {
  const { view } = useEditor();
  const id = useView((state) => state.openTemplate);
  if (id === undefined) return null;
  return <TemplateDialog id={id} onClose={() => view.setState({ openTemplate: undefined })} />;
}

/** Two have edited one preset: keep mine, take theirs, or look at the difference first. */
function ConflictDialog(): ReactElement | null {
  const text = useText(composeText);
  const { document } = useEditor();
  const theirs = useDocument((state) => state.theirs);
  const mine = useDocument((state) => (state.theirs ? state.preset : undefined));
  const [isComparing, setIsComparing] = useState(false);
  if (!theirs || !mine) return null;
  return (
    <Dialog
      title={text.conflictTitle}
      onClose={() => undefined}
      role="alertdialog"
      width={isComparing ? "wide" : "narrow"}
      actions={
        <>
          <Button onPress={() => setIsComparing(!isComparing)}>{text.compareBoth}</Button>
          <Button onPress={() => void document.settle("theirs")}>{text.takeTheirs}</Button>
          <Button look="primary" onPress={() => void document.settle("mine")}>
            {text.keepMine}
          </Button>
        </>
      }
    >
      <p>{text.conflictBody}</p>
      {isComparing && (
        <PresetDiff before={theirs.preset} after={mine} beforeLabel={text.theirs} afterLabel={text.mine} />
      )}
    </Dialog>
  );
}
