/**
 * The one release of nats-server: `npm start`, the tests, docker-compose.yml and k8s run it (ADR 45). Whoever changes it
 * changes its hashes in `deploy/local/servers` and its image in `deploy/images.json`; `deploy/pins.test.ts` compares.
 */
export const BROKER_RELEASE = '2.15.1'

/**
 * The oldest release that services log in to, for the time in which a cluster is upgraded. It has the fix of
 * CVE-2026-58251. The 2.10 line takes the acknowledgement of a reader's message for a purge where its reply subject says so.
 */
export const OLDEST_BROKER = '2.12.7'

/** Whether `version` is `oldest` or newer; a pre-release counts as its release, what is not a version as old. */
export function isAtLeast(version: string, oldest: string): boolean {
  const parts = numbersOf(version)
  for (const [i, least] of numbersOf(oldest).entries()) {
    const part = parts[i] || 0
    if (part !== least) return part > least
  }
  return true
}

/** Whether both are of one line, like 2.15.1 and 2.15.4: between them only mistakes were fixed. */
export function isSameLine(version: string, other: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  return a[0] === b[0] && a[1] === b[1]
}

const numbersOf = (version: string) => version.split(/[.-]/).slice(0, 3).map(Number)
