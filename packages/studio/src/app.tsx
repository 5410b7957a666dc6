import { QueryClientProvider } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { Component, type ReactElement, type ReactNode, Suspense, useEffect, useRef } from "react";
import { I18nProvider, RouterProvider } from "react-aria-components";
import { useConnection } from "./api/connection.ts";
import { followEvents } from "./api/follow-events.ts";
import { queryClient } from "./api/query-client.ts";
import { useTheme } from "./browser/preferences.ts";
import { Link, navigate, useRoute } from "./frame/location.tsx";
import { Navigation } from "./frame/navigation.tsx";
import { Overlays, openOverlay } from "./frame/overlays.tsx";
import { loadPagesAhead, pageOf } from "./page-table.tsx";
import { Page } from "./frame/page.tsx";
import { pathTo } from "./frame/routes.ts";
import { Tour } from "./frame/tour.tsx";
import { locales } from "./i18n/dictionary.ts";
import { frameText } from "./i18n/frame.ts";
import { useLanguage, useText } from "./i18n/use-text.ts";
import { Button } from "./kit/button.tsx";
import { EmptyState, ErrorNotice, Spinner, Toasts, showUncaught } from "./kit/notices.tsx";

export function App(): ReactElement {
  const language = useLanguage();
  const theme = useTheme();
  useEffect(() => {
    document.documentElement.lang = locales[language];
    document.documentElement.dataset["theme"] = theme;
  }, [language, theme]);
  return (
    <I18nProvider locale={locales[language]}>
      <RouterProvider navigate={navigate}>
        <QueryClientProvider client={queryClient}>
          <Frame />
        </QueryClientProvider>
      </RouterProvider>
    </I18nProvider>
  );
}

function Frame(): ReactElement {
  const text = useText(frameText);
  const isSignedOut = useConnection((state) => state.isSignedOut);
  useEffect(followEvents, []);
  useEffect(showUncaught, []);
  useEffect(loadPagesAhead, []);
  if (isSignedOut) return <SignedOut />;
  return (
    <div className="flex h-full flex-col">
      <a
        href="#page"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("page-heading")?.focus();
        }}
      >
        {text.skip}
      </a>
      <Offline />
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <Navigation onSearch={() => openOverlay("palette")} />
        <CurrentPage />
      </div>
      <Overlays />
      <Tour />
      <Toasts />
    </div>
  );
}

function Offline(): ReactElement | null {
  const text = useText(frameText);
  const isOffline = useConnection((state) => state.isOffline);
  if (!isOffline) return null;
  return (
    <div role="status" className="flex items-center justify-center gap-3 bg-warn-soft px-4 py-1.5 text-warn">
      <span>{text.offline}</span>
      <span className="max-md:hidden">{text.offlineHint}</span>
      <Button size="small" onPress={() => void queryClient.refetchQueries()}>
        {text.retry}
      </Button>
    </div>
  );
}

function CurrentPage(): ReactElement {
  const route = useRoute();
  const page = route?.name ?? "";
  useHeadingFocus(page);
  return (
    <main id="page" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ErrorBoundary key={page}>
        <Suspense fallback={<Spinner />}>{route ? pageOf(route) : <NotFound />}</Suspense>
      </ErrorBoundary>
    </main>
  );
}

/** Moves the focus to the heading when another page has come, so that it is read out; not on the first one. */
function useHeadingFocus(page: string): void {
  const before = useRef(page);
  useEffect(() => {
    if (before.current === page) return;
    before.current = page;
    const focus = (): boolean => {
      const heading = document.getElementById("page-heading");
      heading?.focus();
      return heading !== null;
    };
    if (focus()) return;
    // The page's chunk is still on its way.
    const watcher = new MutationObserver(() => focus() && watcher.disconnect());
    watcher.observe(document.body, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, [page]);
}

function NotFound(): ReactElement {
  const text = useText(frameText);
  return (
    <Page title={text.notFoundTitle}>
      <EmptyState title={location.pathname} actions={<Link href={pathTo("home", {})}>{text.toHome}</Link>}>
        {text.notFoundBody}
      </EmptyState>
    </Page>
  );
}

/** What a browser without a key sees: why, and the two commands that give it one. */
function SignedOut(): ReactElement {
  const text = useText(frameText);
  return (
    <main id="page" className="flex h-full flex-col">
      <Page title={text.signInTitle}>
        <div className="flex max-w-lg flex-col gap-3">
          <KeyRound aria-hidden size={28} className="text-muted" />
          <p>{text.signInBody}</p>
          <p>{text.signInStart}</p>
          <pre className="rounded-md border border-line bg-sunken px-3 py-2 font-mono">galley up</pre>
          <p>{text.signInAgain}</p>
          <pre className="rounded-md border border-line bg-sunken px-3 py-2 font-mono">galley open</pre>
        </div>
      </Page>
    </main>
  );
}

interface ErrorBoundaryState {
  readonly error: unknown;
}

/** Keeps the frame alive when a page throws. React has no function for this. */
class ErrorBoundary extends Component<{ readonly children: ReactNode }, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <PageFailed error={error} />;
  }
}

function PageFailed({ error }: { readonly error: unknown }): ReactElement {
  const text = useText(frameText);
  return (
    <Page title={text.pageFailed}>
      <div className="flex flex-col gap-3">
        <p>{text.pageFailedBody}</p>
        <ErrorNotice
          error={error}
          actions={
            <Button size="small" onPress={() => location.reload()}>
              {text.reload}
            </Button>
          }
        />
      </div>
    </Page>
  );
}
