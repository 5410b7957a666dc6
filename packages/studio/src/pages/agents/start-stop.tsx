import type { ReactElement } from "react";
import { describeError } from "../../api/describe-error.ts";
import { useAction } from "../../api/use-api.ts";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { showToast } from "../../kit/toast.tsx";
import type { Agent } from "./agent-types.ts";

export function StartStop({ agent }: { readonly agent: Pick<Agent, "name" | "state"> }): ReactElement {
  const text = useText(agentsText);
  const start = useAction("agents.start");
  const stop = useAction("agents.stop");
  const { name, state } = agent;
  const isStopped = state === "stopped" || state === "failed";
  const onError = (error: Error): void => {
    const { message, hint = "" } = describeError(error);
    showToast({ text: `${name}: ${message} ${hint}`, tone: "bad" });
  };
  const action = isStopped ? start : stop;
  return (
    <Button
      size="small"
      look={isStopped ? "primary" : "plain"}
      aria-label={isStopped ? text.startNamed(name) : text.stopNamed(name)}
      isDisabled={action.isPending}
      onPress={() => action.mutate({ params: { name } }, { onError })}
    >
      {isStopped ? text.start : text.stop}
    </Button>
  );
}
