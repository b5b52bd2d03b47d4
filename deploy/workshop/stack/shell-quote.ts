/** Text as one word of a POSIX shell, quoted only where necessary. */
export function shellQuote(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
