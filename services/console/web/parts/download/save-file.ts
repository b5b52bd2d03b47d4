const KEPT_MS = 60_000

/** Offers a file as a download. The page receives it first, because a plain link could not send the access token. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS) // the browser reads it after the click
}
