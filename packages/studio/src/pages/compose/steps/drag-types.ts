/** What a drag carries: a template of the library, or a step of the list. */
export const templateType = "application/x-galley-template";
export const stepType = "application/x-galley-step";
