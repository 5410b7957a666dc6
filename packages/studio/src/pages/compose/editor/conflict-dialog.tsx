import { type ReactElement, useState } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";
import { PresetDiff } from "../presets/preset-diff.tsx";

/** Two have edited one preset: keep mine, take theirs, or look at the difference first. */
export function ConflictDialog(): ReactElement | null {
  const text = useText(composeText);
  const { document } = useEditor();
  const theirs = useDocument((state) => state.theirs);
  const mine = useDocument((state) => (state.theirs ? state.preset : undefined));
  const [isComparing, setIsComparing] = useState(false);
  if (!theirs || !mine) return null;
  return (
    <Dialog
      title={text.conflictTitle}
      isOpen
      onClose={() => undefined}
      role="alertdialog"
      width={isComparing ? "wide" : "narrow"}
      actions={
        <>
          <Button onPress={() => setIsComparing(!isComparing)}>{text.compareBoth}</Button>
          <Button onPress={() => void document.settle("theirs")}>{text.takeTheirs}</Button>
          <Button look="primary" onPress={() => void document.settle("mine")}>
            {text.keepMine}
          </Button>
        </>
      }
    >
      <p>{text.conflictBody}</p>
      {isComparing && (
        <PresetDiff before={theirs.preset} after={mine} beforeLabel={text.theirs} afterLabel={text.mine} />
      )}
    </Dialog>
  );
}
