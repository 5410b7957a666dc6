import type { ReactElement } from "react";
import { PresetEditor } from "./editor/preset-editor.tsx";
import { PresetList } from "./presets/preset-list.tsx";

/** `/compose` lists the presets, `/compose/:preset` shapes one. */
export function ComposePage({ preset }: { readonly preset: string | undefined }): ReactElement {
  return preset === undefined ? <PresetList /> : <PresetEditor key={preset} id={preset} />;
}
