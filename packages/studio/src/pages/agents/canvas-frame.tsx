import type { ReactElement } from "react";
import { agentsText } from "../../i18n/agents.ts";
import { useText } from "../../i18n/use-text.ts";

export interface CanvasFrameProps {
  readonly name: string;
  readonly canvas: { readonly version: number; readonly title: string };
  readonly isSmall?: boolean;
}

/**
 * The page that an agent drew. The daemon hands it out with a policy that forbids everything; the sandbox here forbids it
 * once more. The version in the address makes the frame reload when the agent has drawn again.
 */
export function CanvasFrame({ name, canvas, isSmall = false }: CanvasFrameProps): ReactElement {
  const text = useText(agentsText);
  return (
    <iframe
      sandbox=""
      referrerPolicy="no-referrer"
      loading="lazy"
      title={`${text.canvas}: ${canvas.title || name}`}
      src={`/canvas/${encodeURIComponent(name)}?version=${canvas.version}`}
      className={`w-full rounded-md border border-line bg-[#ffffff] ${isSmall ? "h-40" : "h-96"}`}
    />
  );
}
