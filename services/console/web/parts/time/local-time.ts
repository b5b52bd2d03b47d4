const pad = (value: number, length = 2) => String(value).padStart(length, '0')

/** An instant as the value of a `datetime-local` input, to the minute. Null becomes an empty string. */
export function toLocalInput(instant: string | null): string {
  if (instant === null) return ''
  const at = new Date(instant)
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

/** Returns null for an empty or incomplete input. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}
