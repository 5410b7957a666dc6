/** Hands a text to the browser as a file, which keeps it where downloads go. */
export function downloadText(name: string, text: string, type = "application/json"): void {
  downloadBlob(name, new Blob([text], { type }));
}

export function downloadBytes(name: string, bytes: Uint8Array, type: string): void {
  downloadBlob(name, new Blob([new Uint8Array(bytes)], { type }));
}

function downloadBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function downloadJson(name: string, value: unknown): void {
  downloadText(name, `${JSON.stringify(value, null, 2)}\n`);
}
