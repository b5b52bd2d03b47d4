/** The id and secret of an API key. */
export type ClientCredentials = { clientId: string; clientSecret: string }

/** The credentials of HTTP Basic. Undefined for another scheme and for a value that is not two parts in UTF-8. */
export function readBasic(authorization: string): ClientCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined || encoded.length > 2_048) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
    const at = text.indexOf(':')
    if (at === -1) return undefined
    // RFC 6749 form-encodes both parts before they are joined.
    const [clientId, clientSecret] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    )
    return clientId && clientSecret ? { clientId, clientSecret } : undefined
  } catch {
    return undefined // not UTF-8, or a broken escape
  }
}

/** The value of `Authorization` for these credentials: one, of all spellings that mean them. */
export function writeBasic({ clientId, clientSecret }: ClientCredentials): string {
  const text = [clientId, clientSecret].map(encodeURIComponent).join(':')
  return `Basic ${Buffer.from(text).toString('base64')}`
}
