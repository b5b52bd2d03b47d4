/** Default User-Agent values of HTTP libraries (D2.1). */
export const DEFAULT_REFUSED_AGENTS: readonly string[] = [
  'python-requests/', 'Python-urllib/', 'python-httpx/', 'aiohttp/', 'Go-http-client/', 'Java/', 'okhttp/',
  'Apache-HttpClient/', 'axios/', 'node', 'node-fetch', 'undici', 'libwww-perl/', 'Ruby', 'PHP/', 'GuzzleHttp/',
] // oxfmt-ignore

export const REFUSAL =
  'Forbidden: send a User-Agent that names your product, such as User-Agent: acme-warehouse/1.0\n'

export const REFUSAL_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  link: '</docs/errors#403-without-an-envelope>; rel="help"',
}

/** Whether a User-Agent is missing, empty or begins with a refused prefix, in any letter case. */
export function webFilter(refused: readonly string[]): (userAgent: string | undefined) => boolean {
  const prefixes = refused.map((prefix) => prefix.toLowerCase())
  return (userAgent) => {
    const agent = userAgent?.trim().toLowerCase() ?? ''
    return agent === '' || prefixes.some((prefix) => agent.startsWith(prefix))
  }
}
