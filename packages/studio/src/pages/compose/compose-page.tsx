import type { ReactElement } from "react";
import { PresetEditor } from "./editor/preset-editor.tsx";
import { PresetList } from "./presets/preset-list.tsx";

export interface ComposePageProps {
  readonly preset: string | undefined;
}

/** `/compose` lists the presets, `/compose/:preset` shapes one. */
export function ComposePage({ preset }: ComposePageProps): ReactElement {
  return preset === undefined ? <PresetList /> : <PresetEditor key={preset} id={preset} />;
}
