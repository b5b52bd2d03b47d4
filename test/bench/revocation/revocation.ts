import { createClient, exchangeKey, unwrap, type Client } from '@whereabouts/client/client'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startGateway, type ExtraGateway } from '../../system/gateways.ts'
import { verdictTable } from '../edge/report.ts'
import { quantile, table } from '../load/figures.ts'

export const REVOCATION_HELP = `pnpm bench revocation [flags]    from DELETE of a key to the 401 of its token, on two gateways

  --keys N          keys revoked one after the other, 10 to 2000     default 300
`

const WANTED_P99_MS = 250
const GIVE_UP_MS = 10_000
/** Minting and revoking count against the bucket of the user, which holds 120. */
const KEYS_PER_ORG = 50

/** Starts the system with a second gateway, measures, prints. Answers whether the target was reached. */
export async function benchRevocation(args: string[], say: (text: string) => void): Promise<boolean> {
  const { values } = parseArgs({ args, options: { keys: { type: 'string', default: '300' } } })
  const count = Number(values.keys)
  if (!(Number.isInteger(count) && count >= 10 && count <= 2_000)) throw new Error('--keys is 10 to 2000')
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
  let stack: Stack | undefined
  let second: ExtraGateway | undefined
  try {
    stack = await startStack({ dataDir: join(folder, 'data') })
    second = await startGateway(stack)
    const delays = await measure([stack.urls.base, second.base], count)
    return report(delays, say)
  } finally {
    await second?.stop()
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Per gateway the delays in milliseconds, from sending the DELETE to the arrival of the first 401. */
async function measure(gateways: readonly [string, ...string[]], count: number): Promise<number[][]> {
  const [first] = gateways
  const delays: number[][] = gateways.map(() => [])
  let admin = await signUp(first, 0)
  for (let i = 0; i < count; i += 1) {
    if (i > 0 && i % KEYS_PER_ORG === 0) admin = await signUp(first, i)
    const key = await mint(admin, i)
    const token = (await exchangeKey(createClient({ baseUrl: first }), key)).access_token
    // Both gateways have served the token: what is measured is not a first look-up.
    for (const gateway of gateways)
      if ((await statusOf(gateway, token)) !== 200) throw new Error('a live key is refused')
    const sentAt = performance.now()
    const revoked = revoke(admin, key.clientId)
    const each = await Promise.all(gateways.map((gateway) => untilRefused(gateway, token, sentAt)))
    await revoked
    for (const [at, delay] of each.entries()) delays[at]?.push(delay)
  }
  return delays
}

type Admin = { client: Client; orgId: number }

async function signUp(baseUrl: string, i: number): Promise<Admin> {
  const body = {
    org_name: 'Bench',
    name: 'Ada',
    email: `ada-${i}@example.com`,
    password: 'correct horse battery',
  }
  const { access_token, org } = unwrap(
    await createClient({ baseUrl }).POST('/api/v1/auth/signup', { body }),
  ).data
  return { client: createClient({ baseUrl, token: access_token }), orgId: org.id }
}

async function mint({ client, orgId }: Admin, i: number) {
  const created = await client.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: orgId } },
    body: { name: `key ${i}`, scopes: ['assets:read'] },
  })
  const { client_id: clientId, client_secret: clientSecret } = unwrap(created).data
  return { clientId, clientSecret }
}

async function revoke({ client, orgId }: Admin, keyId: string): Promise<void> {
  const path = { org_id: orgId, key_id: keyId }
  const { response } = await client.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', { params: { path } })
  if (response.status !== 204) throw new Error(`DELETE answered ${response.status}`)
}

/** Of a request that takes no token from any bucket. */
async function statusOf(gateway: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'whereabouts-bench/1' }
  const response = await fetch(`${gateway}/api/v1/orgs/me`, { headers })
  await response.arrayBuffer()
  return response.status
}

/** Asks without a pause; resolves with the milliseconds since `sentAt`. */
async function untilRefused(gateway: string, token: string, sentAt: number): Promise<number> {
  while (performance.now() - sentAt < GIVE_UP_MS) {
    const status = await statusOf(gateway, token)
    if (status === 401) return performance.now() - sentAt
    if (status !== 200) throw new Error(`the gateway answered ${status}`)
  }
  throw new Error(`still let in after ${GIVE_UP_MS} ms`)
}

function report(delays: readonly number[][], say: (text: string) => void): boolean {
  const all = delays.flat()
  const row = (name: string, ms: readonly number[]) => [
    name,
    String(ms.length),
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(ms, share).toFixed(1)),
  ]
  const rows = delays.map((ms, i) => row(`gateway ${i + 1}`, ms))
  const head = ['', 'keys', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms']
  say(`\nFrom sending DELETE to the first 401\n${table([head, ...rows, row('both', all)])}\n`)
  const p99 = quantile(all, 0.99)
  const reached = p99 <= WANTED_P99_MS
  const verdict = {
    what: 'p99 of both gateways',
    wanted: `≤ ${WANTED_P99_MS} ms`,
    got: `${p99.toFixed(1)} ms`,
    reached,
  }
  say(verdictTable([verdict]))
  return reached
}
