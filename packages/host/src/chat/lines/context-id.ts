const idPattern = /^c_\d{8}_[A-Za-z0-9_-]{1,64}$/;

/** Whether a text can be the id of a context, and so the name of a file. */
export function isContextId(text: string): boolean {
  return idPattern.test(text);
}
