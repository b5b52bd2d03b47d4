const MAX_LENGTH = 255

/**
 * A name or sentence of a device, fit to be stored: undefined when it is no text or blank. PostgreSQL takes neither
 * NUL nor lone surrogates, and one of them would fail the whole batch it is written with; they become U+FFFD.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value !== 'string' || isBlank(value)) return undefined
  const bounded = value.length > MAX_LENGTH ? value.slice(0, MAX_LENGTH) : value
  return bounded.replaceAll('\0', '\ufffd').toWellFormed()
}

/** Whether a text that must not be altered (a barcode, a key) can be stored at all: 1 to 255 code points. */
export function isStorable(value: string): boolean {
  if (value === '' || value.includes('\0') || !value.isWellFormed()) return false
  return (
    value.length <= MAX_LENGTH || (value.length <= 2 * MAX_LENGTH && countCodePoints(value) <= MAX_LENGTH)
  )
}

/** Of a well-formed text. */
function countCodePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0)
}

/** Absent, null and blank text all mean that the device has nothing to say there. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBlank(value))
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
