const CONTROL = /\p{Cc}/gu

/** With a symbol in place of each control character, such as `␝`: 2D labels have separators, which nobody could see. */
export const shownValue = (value: string): string =>
  value.replace(CONTROL, (control) => {
    const code = control.charCodeAt(0)
    if (code < 32) return String.fromCharCode(0x24_00 + code)
    return code === 127 ? '␡' : control
  })

/** Tab, LF, CR, and the separators of labels. */
const ALLOWED = new Set(['\t', '\n', '\r', '\u0004', '\u001C', '\u001D', '\u001E', '\u001F'])

/** False if the API would refuse the value. What readers send of other types has no control characters. */
export const isAssignable = (value: string): boolean =>
  (value.match(CONTROL) ?? []).every((control) => ALLOWED.has(control) || control >= '\u0080')

/** What to do about such a value. */
export const NOT_ASSIGNABLE =
  'Cannot be assigned: it has control characters. Set the scanner to send only what the label has.'
