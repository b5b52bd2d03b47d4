/**
 * The release of nats-server that `npm start`, the tests, docker-compose.yml and k8s run (ADR 45). To change it, also
 * change its hashes in `deploy/workshop/suites/servers` and its image in `deploy/images.json`; `deploy/pins.test.ts` compares
 * them.
 */
export const BROKER_RELEASE = '2.15.1'

/**
 * The oldest release that services accept while a cluster is upgraded. It has the fix of CVE-2026-58251. The 2.10
 * line lets a reader choose a reply subject that turns the acknowledgement of its message into a purge.
 */
export const OLDEST_BROKER = '2.12.7'

/**
 * Whether `version` is `oldest` or newer. A pre-release counts as its release; a text that is not a version counts as
 * older.
 */
export function isAtLeast(version: string, oldest: string): boolean {
  const parts = numbersOf(version)
  for (const [i, least] of numbersOf(oldest).entries()) {
    const part = parts[i] || 0
    if (part !== least) return part > least
  }
  return true
}

/** Whether both have the same major and minor number, like 2.15.1 and 2.15.4: such releases differ only by fixes. */
export function isSameLine(version: string, other: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  return a[0] === b[0] && a[1] === b[1]
}

const numbersOf = (version: string) => version.split(/[.-]/).slice(0, 3).map(Number)
