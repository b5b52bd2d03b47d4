import { headers as newHeaders, type MsgHdrs } from 'nats'

/** Throws for a name or value that the protocol cannot carry (line breaks). */
export function toNatsHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const result = newHeaders()
  for (const [name, value] of Object.entries(values)) result.set(name, value)
  return result
}

/**
 * Names in lower case; of repeated headers the first value. Without a prototype, because the sender chooses the
 * names.
 */
export function fromNatsHeaders(sent: MsgHdrs | undefined): Readonly<Record<string, string>> {
  const result: Record<string, string> = Object.create(null)
  for (const [name, values] of sent ?? []) result[name.toLowerCase()] ??= values[0] ?? ''
  return result
}

/** Returns a malformed text as it is: a message put into the stream by hand must not make the others unreadable. */
export function decodedHeader(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
