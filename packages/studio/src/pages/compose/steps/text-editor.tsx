import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, type KeyBinding, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type ReactElement, useEffect, useEffectEvent, useRef } from "react";

export interface TextEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Undo and redo of the document that the text belongs to; without them the editor has its own. */
  readonly document?: { undo(): unknown; redo(): unknown };
  /** Gets the focus as soon as it is there. */
  readonly isFocused?: boolean;
}

const colors = HighlightStyle.define([
  { tag: [tags.heading, tags.strong], color: "var(--ink)", fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.tagName, tags.angleBracket], color: "var(--source-anchor)" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.monospace, tags.attributeValue], color: "var(--source-depth)" },
  { tag: [tags.quote, tags.processingInstruction, tags.comment], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": {
    fontSize: "12px",
    color: "var(--ink)",
    backgroundColor: "var(--canvas)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px", borderColor: "var(--accent)" },
  ".cm-content": { fontFamily: "var(--font-mono, monospace)", padding: "6px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 8px" },
  ".cm-scroller": { maxHeight: "20rem", overflow: "auto" },
});

const name = new Compartment();

function named(label: string): Extension {
  return EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" });
}

/** One history for the text and all else: what was typed is undone as the document's last edit. */
function undoKeys(undo: () => void, redo: () => void): Extension {
  const bind = (key: string, act: () => void): KeyBinding => ({ key, preventDefault: true, run: () => (act(), true) });
  return keymap.of([bind("Mod-z", undo), bind("Mod-Shift-z", redo), bind("Mod-y", redo)]);
}

/** The smallest change that makes one text of the other, so that the cursor stays where it is. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/**
 * Plain text with the colours of Markdown and tags. It stands in a shadow root, because the page's policy allows no style
 * elements in the document. It stays the same editor whatever its label and value become: they may change with the first
 * letter that is typed, and an editor in its place would not have the focus.
 */
export function TextEditor(props: TextEditorProps): ReactElement {
  const { label, value, onChange, document: owner, isFocused = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useEffectEvent(onChange);
  const undo = useEffectEvent(() => owner?.undo());
  const redo = useEffectEvent(() => owner?.redo());
  const first = useRef({ value, label, isFocused, hasUndo: owner !== undefined });
  useEffect(() => {
    if (!place.current) return undefined;
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current.value,
        extensions: [
          first.current.hasUndo ? undoKeys(undo, redo) : [history(), keymap.of(historyKeymap)],
          keymap.of(defaultKeymap),
          markdown(),
          syntaxHighlighting(colors),
          look,
          EditorView.lineWrapping,
          name.of(named(first.current.label)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.isUserEvent("set"))) {
              changed(update.state.doc.toString());
            }
          }),
        ],
      }),
    });
    view.current = editor;
    // It may come late: a field that somebody has gone to meanwhile keeps the focus.
    if (first.current.isFocused && !document.activeElement?.matches("input, textarea")) editor.focus();
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: name.reconfigure(named(label)) });
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    // Undo of the document, or another page: not typed here.
    editor.dispatch({ changes: difference(editor.state.doc.toString(), value), userEvent: "set" });
  }, [value]);
  return <div ref={place} />;
}
