import { MessagesSquare, Paperclip, Send, Square, X } from "lucide-react";
import { type HTMLAttributes, type ReactElement, type SyntheticEvent, useEffect, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useApi } from "../../api/use-api.ts";
import { useQueryState } from "../../frame/location.tsx";
import { chatActionsText } from "../../i18n/chat-actions.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { TextField } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { EmptyState, showProblem, showToast } from "../../kit/notices.tsx";
import { pictureAddress } from "../../message/message-blocks.ts";
import { sendDraft, stopRun } from "./active-runs.ts";
import { type Attachment, attachFiles, removeAttachment, useAttachments } from "./attachments.ts";
import { setDraft, useDraft } from "./drafts.ts";

interface ChatBoxProps {
  readonly chat: string;
  readonly isRunning: boolean;
  /** Shows what the demo model understands. */
  readonly hasExamples: boolean;
}

/** Runs a real turn. Enter sends, except while an input method composes a word. */
export function ChatBox({ chat, isRunning, hasExamples }: ChatBoxProps): ReactElement {
  const text = useText(chatsText);
  const actions = useText(chatActionsText);
  const draft = useDraft(chat)?.text ?? "";
  const attachments = useAttachments(chat);
  const attach = useAttach(chat);
  const hasInput = draft.trim() !== "" || attachments.length > 0;
  useBoxFocus();
  const send = (): void => {
    if (!hasInput || isRunning) return;
    sendDraft(chat);
    focusBox();
  };
  const stop = (): void => {
    focusBox();
    stopRun(chat).catch(showProblem);
  };
  return (
    <div
      data-chat-box
      className="border-t border-line p-3"
      onPaste={(event) => attach(event.clipboardData.files, event)}
    >
      {hasExamples && <ExampleChips chat={chat} />}
      {attachments.length > 0 && <Attached chat={chat} attachments={attachments} />}
      <Form className="flex items-end gap-2" onSubmit={send}>
        <FileTrigger allowsMultiple onSelect={(files) => attach(files ?? [])}>
          <IconButton label={actions.attach} icon={Paperclip} />
        </FileTrigger>
        <TextField
          className="flex-1"
          aria-label={text.input}
          placeholder={text.placeholder}
          rows={3}
          value={draft}
          onChange={(value) => setDraft(chat, value)}
          onEnter={send}
        />
        {isRunning ? (
          <Button look="danger" onPress={stop} icon={Square}>
            {text.stop}
          </Button>
        ) : (
          <Button type="submit" look="primary" isDisabled={!hasInput} icon={Send}>
            {text.send}
          </Button>
        )}
      </Form>
    </div>
  );
}

/** Gives the focus to where one writes, e.g. when the button that was pressed goes. */
export function focusBox(): void {
  document.querySelector<HTMLElement>("[data-chat-box] textarea")?.focus();
}

/**
 * One begins to write at once. Not on a phone, where the keyboard would cover half of the chat; not while something else is
 * written or asked, and not where one came for a message. What closes now gives the focus back in the next frame: only then.
 */
function useBoxFocus(): void {
  const { message } = useQueryState().query;
  const hasCome = message !== undefined;
  useEffect(() => {
    if (hasCome || matchMedia("(pointer: coarse)").matches) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        if (document.activeElement?.matches("input, textarea, [data-rac] [role=dialog] *") !== true) focusBox();
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [hasCome]);
}

type Attach = (files: Iterable<File>, event?: SyntheticEvent) => void;

/** What makes an element take dropped files for a chat: all of a conversation, because a browser opens what it is left. */
export function useDropTarget(chat: string): HTMLAttributes<HTMLElement> {
  const attach = useAttach(chat);
  const [isOver, setIsOver] = useState(false);
  return {
    onDragOver: (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event) => {
      setIsOver(false);
      attach(event.dataTransfer.files, event);
    },
    ...(isOver && { style: { outline: "2px dashed var(--accent)", outlineOffset: -6 } }),
  };
}

/** Takes files in, by button, paste or drop; what cannot be sent is said. */
function useAttach(chat: string): Attach {
  const text = useText(chatActionsText);
  return (files, event) => {
    const given = [...files];
    if (given.length === 0) return;
    event?.preventDefault();
    attachFiles(chat, given)
      .then((refused) => {
        for (const { name, problem } of refused) showToast({ text: text.notAttached[problem](name), tone: "bad" });
      })
      .catch(showProblem);
  };
}

interface AttachedProps {
  readonly chat: string;
  readonly attachments: readonly Attachment[];
}

function Attached({ chat, attachments }: AttachedProps): ReactElement {
  const text = useText(chatActionsText);
  return (
    <ul aria-label={text.attached} className="mb-2 flex flex-wrap gap-1.5">
      {attachments.map((attachment, index) => (
        // The same file may be attached twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className="flex items-center gap-1 rounded-md border border-line pl-2 text-xs">
          <Thumbnail attachment={attachment} />
          <span className="max-w-60 truncate">{attachment.name}</span>
          <IconButton
            label={text.detach(attachment.name)}
            size="small"
            icon={X}
            onPress={() => removeAttachment(chat, attachment)}
          />
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ attachment: { mediaType, data } }: { readonly attachment: Attachment }): ReactElement | null {
  const address = pictureAddress(mediaType, data);
  return address === undefined ? null : <img src={address} alt="" className="my-1 h-10 rounded" />;
}

interface ChatExamplesProps {
  readonly chat: string;
  /** Other models do not know the commands of the demo model. */
  readonly isDemo: boolean;
}

interface Example {
  readonly input: string;
  readonly note: string;
}

interface Examples {
  /** A story: something to remember, another topic, and back again. */
  readonly story: readonly Example[];
  /** What works in this chat as it is: back to a context that there is, a task for a profile that there is. */
  readonly next: readonly Example[];
  readonly hasProfile: boolean | undefined;
}

const maxTitleLength = 40;

/** What the demo model understands. */
function useExamples(chat: string): Examples {
  const text = useText(chatsText);
  const { data } = useApi("profiles.list", {});
  const archived = useApi("chats.get", { params: { key: chat } }).data?.contexts ?? [];
  const profile = data?.profiles[0]?.name;
  const delegate = profile === undefined ? [] : [text.delegateExample(profile)];
  // A context that began with a command is named after it; to say both would be one too many.
  const back = archived.filter(({ title }) => title.length <= maxTitleLength && !/[:：]/.test(title)).slice(0, 1);
  return {
    story: [...text.examples, ...delegate],
    next: [...text.examples.slice(1, 2), ...back.map(({ title }) => text.backExample(title)), ...delegate],
    hasProfile: data && profile !== undefined,
  };
}

function choose(chat: string, input: string): void {
  setDraft(chat, input);
  focusBox();
}

/** What to say, to see what a context can do. */
export function ChatExamples({ chat, isDemo }: ChatExamplesProps): ReactElement {
  const text = useText(chatsText);
  const { story, hasProfile } = useExamples(chat);
  if (!isDemo) {
    return (
      <EmptyState icon={MessagesSquare} title={text.active}>
        {text.emptyOther}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={MessagesSquare} title={text.emptyTitle}>
      <p>{text.emptyBody}</p>
      <ol className="mt-3 flex flex-col items-stretch gap-2">
        {story.map(({ input, note }) => (
          <li key={input} className="flex flex-col items-center">
            <Button onPress={() => choose(chat, input)}>
              <span className="font-mono">{input}</span>
            </Button>
            <span className="mt-0.5 text-xs">{note}</span>
          </li>
        ))}
      </ol>
      {hasProfile === false && (
        <p className="mt-3 text-xs">
          {text.noProfile} <code className="whitespace-nowrap">{text.noProfileCommand}</code>
        </p>
      )}
    </EmptyState>
  );
}

/** The same, small, above the box, while a chat is young. */
function ExampleChips({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const { next } = useExamples(chat);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-1.5">
      <span className="text-xs text-muted">{text.tryNext}</span>
      {next.map(({ input }) => (
        <Button key={input} size="small" look="quiet" onPress={() => choose(chat, input)}>
          <span className="rounded border border-dashed border-edge px-1.5 font-mono font-normal">{input}</span>
        </Button>
      ))}
    </div>
  );
}
