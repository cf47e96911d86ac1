/** Saves a text as a file in the browser's downloads. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Later: the browser reads it after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
