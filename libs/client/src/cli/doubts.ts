/** What a spreadsheet or the clipboard probably destroyed in a cell, in a few words: as imports of the API warn (D19.5). */
export function doubtOf(column: string, text: string): string | undefined {
  if (column === 'metadata') return undefined // JSON may have such numbers
  const values = column === 'tags' ? text.split(/[ \t\r\n]+/).map((tag) => tag.slice(tag.indexOf(':') + 1)) : [text]
  for (const value of values) {
    const found = DOUBTS.find(([pattern]) => pattern.test(value))
    if (found) return `${column} "${value}" ${found[1]}`
  }
  const unread = column === 'tags' && text.split(/[ \t\r\n]+/).find((tag) => tag.startsWith('rfid:') && !isReadable(tag.slice(5)))
  return unread ? `no reader sends ${unread}: it is neither hex of whole bytes nor a URN` : undefined
} // oxfmt-ignore

const DOUBTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(?:-?\d(?:[.,]\d+)?E[+-]\d+|\d{15}00+)\s*$/i, 'was rewritten by a spreadsheet: its digits are gone'],
  [/^\s*(?:#[¡¿]?\p{L}[\p{L}\d/_ .]*[!?]|#(?:N\/A|N\/D|N\/B|NV|NULL|I\/T)|Err:\d{3})\s*$/iu, 'is the error of a formula'],
  [/[\u00a0\u00ad\u180e\u200b\u200e\u200f\u202a-\u202f\u2060-\u2064\u2066-\u2069\ufeff]/u, 'has an invisible character'],
] // oxfmt-ignore

const isReadable = (value: string) =>
  /^(?:0x)?(?:[0-9a-f]{2})+$/i.test(value.replaceAll(/[\s:-]/g, '')) || /^urn:/i.test(value)
