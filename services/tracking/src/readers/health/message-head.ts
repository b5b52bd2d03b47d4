const PICTURES = 0x2400
const DELETE_PICTURE = '\u2421'

/** The first bytes of a message as text that is safe to store and to show: its control characters become visible. */
export function messageHead(data: Uint8Array, bytes: number): string {
  // As a stream, because the cut may be inside a character.
  const text = new TextDecoder().decode(data.subarray(0, bytes), { stream: data.length >= bytes })
  return visibleText(text)
}

/** Text that is safe to store and to show: control characters and broken Unicode become visible. */
export const visibleText = (text: string): string => text.replaceAll(/[^\P{C}\n\t]/gu, visible)

/** `␀` for NUL; `\u{202e}` for a character that turns the direction of the text. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(PICTURES + code)
  return code === 0x7f ? DELETE_PICTURE : `\\u{${code.toString(16)}}`
}
