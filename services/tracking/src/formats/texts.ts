const MAX_LENGTH = 255

/**
 * A name or sentence of a device that can be stored; undefined if it is blank or not text. NUL and lone surrogates
 * become U+FFFD, because PostgreSQL refuses them and one would fail its whole batch.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value !== 'string' || isBlank(value)) return undefined
  const bounded = value.length > MAX_LENGTH ? value.slice(0, MAX_LENGTH) : value
  return bounded.replaceAll('\0', '\ufffd').toWellFormed()
}

/** True if a text that must not be changed (a barcode, a key) can be stored: 1 to 255 code points. */
export function isStorable(value: string): boolean {
  if (value === '' || value.includes('\0') || !value.isWellFormed()) return false
  return (
    value.length <= MAX_LENGTH || (value.length <= 2 * MAX_LENGTH && countCodePoints(value) <= MAX_LENGTH)
  )
}

/** The text must be well-formed. */
function countCodePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0)
}

/** Absent, null and blank text mean the same: no value. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBlank(value))
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
