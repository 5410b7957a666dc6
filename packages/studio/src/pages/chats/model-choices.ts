interface ModelChoice {
  readonly id: string;
  readonly usable: boolean;
}

// A list of hundreds does not help a person who has not set a key yet.
const maxUnusable = 40;

/** What a person can choose from: all that can be used, the one that is chosen, and some of the others. */
export function modelChoices<Model extends ModelChoice>(
  models: readonly Model[],
  chosen: string | undefined,
): readonly (Model | ModelChoice)[] {
  const usable = models.filter((model) => model.usable);
  const others = models.filter((model) => !model.usable);
  const shown = others.filter((model, index) => index < maxUnusable || model.id === chosen);
  const all = [...usable, ...shown];
  return chosen === undefined || all.some(({ id }) => id === chosen) ? all : [{ id: chosen, usable: false }, ...all];
}
