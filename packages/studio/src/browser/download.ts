/** Hands a text to the browser as a file, which keeps it where downloads go. */
export function downloadText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function downloadJson(name: string, value: unknown): void {
  downloadText(name, `${JSON.stringify(value, null, 2)}\n`);
}
