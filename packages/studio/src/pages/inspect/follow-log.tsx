import { type ReactElement, useEffect, useRef } from "react";
import { stream } from "../../api/call.ts";
import { navigate, useQueryState } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useText } from "../../i18n/use-text.ts";
import { Hint } from "../../kit/button.tsx";
import { Switch } from "../../kit/fields.tsx";
import { showProblem } from "../../kit/notices.tsx";
import { kindOfSession } from "../../api/session-names.ts";

/** Sessions whose agents keep a log that can be followed. */
const followed = /^(?:claude-code|codex|pi|opencode|gemini-cli|copilot-cli):[^/]+$/;

interface FollowLogProps {
  readonly session: string;
  readonly n: number;
  readonly newest: number | undefined;
}

/**
 * Goes on to the newest call, where that was shown, while a run works; and follows the log of an agent for as long as it is
 * on [L3]. The daemon tells every page that the session has grown.
 */
export function FollowLog({ session, n, newest }: FollowLogProps): ReactElement | null {
  const text = useText(inspectText);
  const { query, setQuery } = useQueryState();
  const isLog = followed.test(session);
  const isOn = query["follow"] !== undefined;
  const before = useRef(newest);
  useEffect(() => {
    if (isOn && newest !== undefined && n === before.current && newest !== n) {
      navigate(pathTo("call", { id: session, n: String(newest) }, { follow: 1 }), { replace: true });
    }
    before.current = newest;
  }, [isOn, session, n, newest]);
  useEffect(() => {
    if (!isOn || !isLog) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      const steps = stream("logs.follow", { params: { id: session } }, { signal: leaving.signal });
      for (let step = await steps.next(); step.done !== true; step = await steps.next());
    };
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) showProblem(error);
    });
    return () => leaving.abort();
  }, [isOn, isLog, session]);
  // Nothing is added to what was imported.
  if (!isLog && kindOfSession(session) === "session") return null;
  return (
    <Hint text={isLog ? text.followHint : text.followRuns} className="inline-flex">
      <Switch isSelected={isOn} onChange={(on) => setQuery({ follow: on ? 1 : undefined })}>
        {text.follow}
      </Switch>
    </Hint>
  );
}
