import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactElement, useEffect, useRef } from "react";
import { useApi } from "../../api/use-api.ts";
import { chatActionsText } from "../../i18n/chat-actions.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { useDeed } from "../../kit/notices.tsx";
import type { ChatMessage } from "./chat-pages.tsx";

interface AlternateArrowsProps {
  readonly chat: string;
  /** The question, and the answer that stands there. */
  readonly question: string;
  readonly answer: ChatMessage;
  readonly isDisabled: boolean;
}

/** The answers to the last question, oldest first: arrows choose which one the chat goes on with. */
export function AlternateArrows({ chat, question, answer, isDisabled }: AlternateArrowsProps): ReactElement | null {
  const text = useText(chatActionsText);
  const { data } = useApi("chats.alternates", { params: { key: chat } }, { keepPrevious: true });
  const group = useRef<HTMLSpanElement>(null);
  const wasPressed = useRef(false);
  const choose = useDeed("chats.choose");
  const isBusy = isDisabled || choose.isPending;
  useEffect(() => {
    if (isBusy || !wasPressed.current) return;
    wasPressed.current = false;
    // While it was busy the arrow lost the focus, and at either end it can be pressed no more.
    group.current?.querySelector<HTMLElement>("button:enabled")?.focus();
  }, [isBusy]);
  const others = data?.alternates.filter(({ of, id }) => of === question && id !== answer.id) ?? [];
  if (others.length === 0) return null;
  const answers = [...others, answer].toSorted((a, b) => a.ts - b.ts);
  const at = answers.indexOf(answer);
  const go = (to: number): void => {
    const id = answers[to]?.id;
    if (id === undefined) return;
    wasPressed.current = true;
    choose.run({ params: { key: chat, id } });
  };
  return (
    <span ref={group} role="group" aria-label={text.answers} className="inline-flex items-center text-xs text-muted">
      <IconButton
        label={text.previousAnswer}
        size="small"
        isDisabled={isBusy || at === 0}
        onPress={() => go(at - 1)}
        icon={ChevronLeft}
      />
      <span data-answer={at + 1}>{text.answerOf(at + 1, answers.length)}</span>
      <IconButton
        label={text.nextAnswer}
        size="small"
        isDisabled={isBusy || at === answers.length - 1}
        onPress={() => go(at + 1)}
        icon={ChevronRight}
      />
    </span>
  );
}
