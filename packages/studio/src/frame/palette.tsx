import { Search } from "lucide-react";
import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, TextField } from "react-aria-components";
import { useApi } from "../api/use-api.ts";
import { hasWords } from "../api/words.ts";
import { frameText } from "../i18n/frame.ts";
import { paletteText } from "../i18n/palette.ts";
import { useText } from "../i18n/use-text.ts";
import { classes, floating, listLine } from "../kit/classes.ts";
import { showKeys, useAllCommands } from "./commands.ts";
import { typeEarlyKeys } from "./early-keys.ts";
import { navigate } from "./location.tsx";
import { pageList } from "./page-list.tsx";
import { findPageItems, pageActions } from "./page-actions.ts";
import { pathTo } from "./routes.ts";
import { useSessionNames } from "../api/session-names.ts";

interface Line {
  readonly id: string;
  readonly label: string;
  /** What it is found by besides its label. */
  readonly name: string;
  readonly kind: string;
  /** The name says more than the label, so that it is shown too. */
  readonly isNamed?: boolean;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

const maxFound = 20;

/** Templates of the page that is open, and what was said in any chat, with the words that are typed. */
function useFoundTexts(typed: string): readonly Line[] {
  const kinds = useText(paletteText);
  const q = useDeferredValue(typed.trim());
  const query = { q: q || " ", limit: maxFound };
  const messages = useApi("chats.find", { query }, { isEnabled: q.length > 1, keepPrevious: true }).data?.found;
  if (q.length < 2) return noLines;
  const items = findPageItems(q, maxFound).map(({ id, label, run }) => ({
    id: `item ${id}`,
    label,
    name: typed,
    kind: kinds.template,
    run,
  }));
  const said = (messages ?? []).map(({ chat, title, contextId, messageId, snippet }, index) => ({
    id: `said ${index} ${chat} ${messageId ?? ""}`,
    label: snippet,
    // What was asked for with these words is found by them, also where the snippet leaves some out.
    name: `${title} ${typed}`,
    kind: kinds.messageIn(title || chat),
    run: () => navigate(pathTo("chats", { key: chat }, { context: contextId, message: messageId })),
  }));
  return [...items, ...said];
}

const noLines: readonly Line[] = [];

/** Pages, actions of the page that is open, presets, chats and sessions in one list. */
function useLines(): readonly Line[] {
  const text = useText(frameText);
  const kinds = useText(paletteText);
  const commands = useAllCommands();
  const { data: presets } = useApi("presets.list", {});
  const { data: chats } = useApi("chats.list", {});
  const { data: sessions } = useApi("sessions.list", {});
  const nameOfSession = useSessionNames();
  // As the page stood when the palette was opened.
  const [onPage] = useState(pageActions);
  return useMemo(() => {
    const go = (kind: string, id: string, label: string, href: string): Line => ({
      id: `${kind} ${id}`,
      label,
      name: id,
      kind,
      run: () => navigate(href),
    });
    const known = new Set(commands.map(({ label }) => label));
    return [
      ...commands
        .filter((command) => !command.isHidden)
        .map(({ id, label, keys, run }) => ({ id: `do ${id}`, label, name: "", kind: kinds.action, keys, run })),
      ...pageList.map(({ name, href }) => go(kinds.page, name, text[name], href)),
      ...(presets?.presets ?? []).map(({ id, name }) => ({
        ...go(kinds.preset, id, name ?? id, pathTo("compose", { preset: id })),
        isNamed: name !== undefined && name !== id,
      })),
      ...(chats?.chats ?? []).map(({ key, title }) => ({
        ...go(kinds.chat, key, title || key, pathTo("chats", { key })),
        isNamed: title !== "" && title !== key,
      })),
      ...(sessions?.sessions ?? []).map(({ id }) =>
        go(kinds.session, id, nameOfSession(id), pathTo("sessions", { id })),
      ),
      ...onPage
        .filter(({ label }) => !known.has(label))
        .map(({ label, run }) => ({ id: `press ${label}`, label, name: "", kind: kinds.action, run })),
    ];
  }, [commands, onPage, presets, chats, sessions, nameOfSession, text, kinds]);
}

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const text = useText(paletteText);
  const [typed, setTyped] = useState("");
  const own = useLines();
  const said = useFoundTexts(typed);
  const lines = useMemo(() => [...own, ...said], [own, said]);
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className="fixed inset-0 z-40 flex items-start justify-center bg-[rgb(0_0_0/45%)] p-3 pt-[12vh]"
    >
      <Modal className={classes(floating, "w-full max-w-xl overflow-hidden")}>
        <Dialog aria-label={text.title} className="outline-none">
          <Autocomplete filter={hasWords} inputValue={typed} onInputChange={setTyped}>
            {/* Not a search field: there, Escape empties the text before it closes anything. */}
            <TextField
              aria-label={text.search}
              autoFocus
              onFocus={(event) => typeEarlyKeys(event.target)}
              className="flex items-center gap-2 border-b border-line px-3"
            >
              <Search aria-hidden size={16} className="shrink-0 text-muted" />
              <Input placeholder={text.search} className="h-11 min-w-0 flex-1 bg-transparent text-base outline-none" />
            </TextField>
            <Menu
              aria-label={text.title}
              items={lines}
              renderEmptyState={() => <p className="p-4 text-center text-muted">{text.none}</p>}
              className="max-h-[50vh] overflow-y-auto p-1 outline-none"
            >
              {(line) => (
                <MenuItem
                  id={line.id}
                  textValue={`${line.label} ${line.name} ${line.kind}`}
                  className={listLine}
                  onAction={() => {
                    onClose();
                    line.run();
                  }}
                >
                  <span className="min-w-0 flex-1 truncate">
                    {line.label}
                    {line.isNamed && <span className="text-muted"> · {line.name}</span>}
                  </span>
                  {line.keys && <kbd className="font-mono text-xs text-muted">{showKeys(line.keys)}</kbd>}
                  <span className="max-w-44 truncate text-xs text-muted">{line.kind}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
