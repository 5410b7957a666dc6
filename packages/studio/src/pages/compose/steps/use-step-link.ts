import { useEditor } from "../state/editor-state.ts";

/** Ties a step to its message while it is pointed at, by hover or by focus. */
export function useStepLink(isInForce: boolean): (index: number, isOn: boolean) => void {
  const { view, preview } = useEditor();
  return (index, isOn) => {
    if (!isInForce) return;
    if (isOn) {
      const linkedMessage = preview.store.getState().preview?.messageOfStep.get(index);
      view.setState({ linkedStep: index, linkedMessage, linkedFrom: "step" });
    } else if (view.getState().linkedStep === index) {
      view.setState({ linkedStep: undefined, linkedMessage: undefined, linkedFrom: undefined });
    }
  };
}

/** The step that an element of the list belongs to. */
export function stepIndexAt(element: EventTarget): number | undefined {
  const row = element instanceof Element ? element.closest<HTMLElement>("[data-step-index]") : null;
  return row ? Number(row.dataset["stepIndex"]) : undefined;
}
