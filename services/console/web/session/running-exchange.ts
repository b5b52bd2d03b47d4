const KEY = 'whereabouts-session-exchange'
/** An exchange takes this long at most, nearly always. */
const LONGEST_MS = 1_500

/**
 * Runs an exchange of the cookie. A page that is reloaded during one leaves its mark: then the new cookie is still on
 * its way, and sending the old one again would end the session. Callers run one at a time.
 */
export async function marked<T>(exchange: () => Promise<T>): Promise<T> {
  const waitMs = Number(read()) + LONGEST_MS - Date.now()
  if (waitMs > 0 && waitMs <= LONGEST_MS) await new Promise((resolve) => setTimeout(resolve, waitMs))
  write(Date.now())
  const answer = await exchange()
  write(undefined) // not after a failure: when a page is left, its request fails there and goes on in the browser
  return answer
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // the person has blocked storage
  }
}

function write(at: number | undefined): void {
  try {
    if (at === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, String(at))
  } catch {
    return // the person has blocked storage
  }
}
