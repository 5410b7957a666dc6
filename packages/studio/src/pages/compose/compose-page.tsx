import type { ReactElement } from "react";
import type { PageParams } from "../../frame/routes.ts";
import { PresetEditor } from "./editor/preset-editor.tsx";
import { PresetList } from "./presets/preset-list.tsx";

/** `/compose` lists the presets, `/compose/:preset` shapes one. */
export function ComposePage({ params: { preset } }: PageParams<"compose">): ReactElement {
  return preset === undefined ? <PresetList /> : <PresetEditor key={preset} id={preset} />;
}
