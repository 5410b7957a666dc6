import { Component, type ReactElement, type ReactNode } from "react";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { ErrorNotice } from "../kit/error-notice.tsx";
import { Page } from "./page.tsx";

interface ErrorBoundaryState {
  readonly error: unknown;
}

/** Keeps the frame alive when a page throws. React has no function for this. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, ErrorBoundaryState> {
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
