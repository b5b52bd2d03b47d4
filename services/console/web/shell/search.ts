/**
 * The query string of an address as plain text, `?offset=50`: the router's own format puts text that looks like JSON
 * into quotes. Values are always text. Of a repeated name the first value counts.
 */
export function parseSearch(search: string): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) if (!values.has(name)) values.set(name, value)
  return Object.fromEntries(values)
}

export function stringifySearch(values: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string') parameters.set(name, value)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
