import type { RouteName, RouteReply } from "galley/api";
import { type Input, offlineCode } from "galley/api/client";
import { CircleAlert, type LucideIcon, X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import {
  ProgressBar,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { describeError } from "../api/describe-error.ts";
import { type UseApiOptions, useAction, useApi } from "../api/use-api.ts";
import { frameText } from "../i18n/frame.ts";
import { meaningOf } from "../i18n/error-meanings.ts";
import { meaningNow, useLanguage, useText } from "../i18n/use-text.ts";
import { Button, IconButton } from "./button.tsx";
import { classes, floating } from "./classes.ts";

/** Waiting, without a number; says so to assistive technology too. */
export function Spinner(): ReactElement {
  const text = useText(frameText);
  return (
    <ProgressBar isIndeterminate aria-label={text.loading} className="flex justify-center p-8">
      <span className="size-5 animate-spin rounded-full border-2 border-line border-t-accent" />
    </ProgressBar>
  );
}

interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** Says what will stand here and how it gets here. */
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps): ReactElement {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-10 text-center">
      {Icon && <Icon aria-hidden size={28} className="text-muted" />}
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="text-muted">{children}</div>
      {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What did not happen, where the error alone does not say it. */
  readonly lead?: string;
  readonly onRetry?: () => void;
  readonly actions?: ReactNode;
}

/** Says what went wrong, where, and what to do about it. */
export function ErrorNotice({ error, lead, onRetry, actions }: ErrorNoticeProps): ReactElement {
  const text = useText(frameText);
  const { code, path, problems = [], ...said } = describeError(error);
  const meaning = meaningOf(code, useLanguage());
  // The only error that the page makes itself; the others come from the daemon in English words.
  const { message, hint } = code === offlineCode ? { message: text.offlineTitle, hint: text.offlineHint } : said;
  // The frame says it once for all; each place only says that it waits.
  if (code === offlineCode && lead === undefined) {
    return (
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <CircleAlert aria-hidden size={14} className="shrink-0" />
        {text.offlineHere}
        {actions}
      </div>
    );
  }
  return (
    <div role="alert" className="flex gap-3 rounded-md border border-bad bg-bad-soft p-3 text-ink">
      <CircleAlert aria-hidden size={18} className="mt-px shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        {lead && <p className="font-medium">{lead}</p>}
        <p className={lead ? "" : "font-medium"}>{meaning ?? message}</p>
        {meaning && (
          <p lang="en" className="text-xs text-muted">
            {message}
          </p>
        )}
        {hint && (
          <p>
            <span className="text-muted">{text.whatToDo}: </span>
            {hint}
          </p>
        )}
        <p className="font-mono text-xs text-muted">
          {code}
          {path && ` · ${path}`}
        </p>
        {problems.length > 1 && (
          <ul className="list-disc pl-4">
            {problems.map((problem) => (
              <li key={`${problem.path} ${problem.message}`}>
                {problem.path && <span className="font-mono text-xs">{problem.path}: </span>}
                {problem.message} {problem.hint}
              </li>
            ))}
          </ul>
        )}
        {(onRetry || actions) && (
          <div className="mt-1 flex flex-wrap gap-2">
            {onRetry && (
              <Button size="small" onPress={onRetry}>
                {text.retry}
              </Button>
            )}
            {actions}
          </div>
        )}
      </div>
    </div>
  );
}

interface ToastContents {
  readonly text: string;
  readonly tone?: "plain" | "bad";
  /** What the button of the toast does; `undo` shows "Undo". */
  readonly undo?: () => void;
}

const queue = new ToastQueue<ToastContents>({ maxVisibleToasts: 3 });

/** Says what has happened, with Undo where it can be taken back; gives what closes it. Toasts with an action stay longer. */
export function showToast(contents: ToastContents): () => void {
  const key = queue.add(contents, { timeout: contents.undo || contents.tone === "bad" ? 12_000 : 5000 });
  return () => queue.close(key);
}

/** Says why something that was asked for was not done, and what to do about it. */
export function showProblem(error: unknown): void {
  const { code, message, hint = "" } = describeError(error);
  showToast({ text: `${meaningNow(code) ?? ""} ${message} ${hint}`.trim(), tone: "bad" });
}

/** Browsers report this when a layout needs another frame; nothing has failed. */
const harmless = /^ResizeObserver loop/;

/** Shows what nothing else has caught: an edit that threw must not look like one that was made. */
export function showUncaught(): () => void {
  const onError = ({ error, message }: ErrorEvent): void => {
    if (!harmless.test(message)) showProblem(error ?? message);
  };
  const onRejection = ({ reason }: PromiseRejectionEvent): void => showProblem(reason);
  window.addEventListener("error", onError);
  window.addEventListener("unhandledrejection", onRejection);
  return () => {
    window.removeEventListener("error", onError);
    window.removeEventListener("unhandledrejection", onRejection);
  };
}

/** Stands once in the frame. */
export function Toasts(): ReactElement {
  const text = useText(frameText);
  return (
    <ToastRegion
      queue={queue}
      aria-label={text.notifications}
      // Not above the box of a chat, where one writes on, nor above the card of the tour.
      className="fixed z-50 flex w-max flex-col gap-2 outline-none max-md:top-2 max-md:left-1/2 max-md:max-w-[calc(100vw-1rem)] max-md:-translate-x-1/2 md:bottom-4 md:left-20 md:max-w-60 md:[body:has([data-deed])_&]:bottom-60"
    >
      {({ toast }) => (
        <Toast toast={toast} className={classes(floating, "flex items-center gap-3 py-1.5 pr-1.5 pl-3")}>
          <ToastContent className={classes("min-w-0 flex-1", toast.content.tone === "bad" && "text-bad")}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.undo && (
            <Button
              size="small"
              onPress={() => {
                toast.content.undo?.();
                queue.close(toast.key);
              }}
            >
              {text.undo}
            </Button>
          )}
          <IconButton label={text.dismiss} size="small" icon={X} onPress={() => queue.close(toast.key)} />
        </Toast>
      )}
    </ToastRegion>
  );
}

interface Deed<Name extends RouteName> {
  readonly isPending: boolean;
  /** What comes after it is done only when it was. */
  readonly run: (input: Input<Name>, after?: (reply: RouteReply<Name>) => unknown) => void;
}

/** Does something; why it was not done is said in a toast. */
export function useDeed<Name extends RouteName>(name: Name): Deed<Name> {
  const { mutateAsync, isPending } = useAction(name);
  return { isPending, run: (input, after) => void mutateAsync(input).then(after).catch(showProblem) };
}

type Loaded<Reply> =
  | { readonly data: Reply; readonly pending: undefined }
  | { readonly data: Reply | undefined; readonly pending: ReactElement };

/** The answer of a route, and what to show in its place: that it is on its way, or why it cannot be had (now). */
export function useLoaded<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options?: UseApiOptions,
): Loaded<RouteReply<Name>> {
  const { data, error, refetch } = useApi(name, input, options);
  if (error) return { data, pending: <ErrorNotice error={error} onRetry={() => void refetch()} /> };
  return data === undefined ? { data, pending: <Spinner /> } : { data, pending: undefined };
}
