// Writes the accounts of readers that nats.conf includes: one for each organization whose readers speak NATS.
import { parseArgs } from 'node:util'

const HELP = `node deploy/nats/make-reader-accounts.ts [--count 1000]    prints reader-accounts.conf

  --count   organizations whose readers can use NATS with any client (1 to 100000; default 1000). An account takes some
            20 KB of the broker's memory: 10000 take 230 MB. Never lower it: organizations keep their accounts.

Every broker must have the same file. After a change, restart the brokers one by one, then the keys service finds the new ones.
`

const READERS = `\
# What every account of readers is made of (ADR 47). It has no streams and no JetStream API. A message on scans.> goes to the
# stream SCANS of APP. The acknowledgement comes back into this account only, whatever reply subject the reader named, and
# never through the import again: the broker does not follow one export twice for one message. READERS itself is shared by
# organizations for whom no account is left: their readers need an inbox prefix of their own.
READERS: {
  imports: [{ service: { account: APP, subject: "scans.>" } }]
  limits: { max_payload: 257KB, max_subscriptions: 20, max_connections: 2000 }
}
`

/** The accounts of readers, one a line after what they are made of: R0000, R0001 and so on. */
export function readerAccounts(count: number): string {
  const names = Array.from({ length: count }, (_, i) => `R${String(i).padStart(4, '0')}: $READERS\n`)
  return `# Made by deploy/nats/make-reader-accounts.ts --count ${count}\n${READERS}${names.join('')}`
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '1000' }, help: { type: 'boolean' } },
  })
  const count = Number(values.count)
  const isCount = Number.isInteger(count) && count >= 1 && count <= 100_000
  if (!isCount && !values.help) process.stderr.write('--count must be a whole number from 1 to 100000\n')
  else process.stdout.write(values.help ? HELP : readerAccounts(count))
  if (!isCount) process.exitCode = 2
}
