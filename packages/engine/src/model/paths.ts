const identifier = /^[A-Za-z_$][\w$]*$/;

/** A path as one would write it in code: `contextRecipes[0].steps[2].messageId`, `variables["two words"]`. */
export function formatPath(keys: readonly PropertyKey[], base = ""): string {
  let path = base;
  for (const key of keys) {
    if (typeof key === "number") path += `[${key}]`;
    else if (identifier.test(String(key))) path += path === "" ? String(key) : `.${String(key)}`;
    else path += `[${JSON.stringify(String(key))}]`;
  }
  return path;
}
