/** Text as one word of a POSIX shell, whatever is in it. Left bare where that reads better and means the same. */
export function shellQuote(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
