import { eventually } from '@whereabouts/testing/eventually'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { consume } from '@whereabouts/messaging/consume/consume'
import { keepDeadLetter, type FailedMessage } from '@whereabouts/messaging/dead-letters/dead-letters'
import { publish } from '@whereabouts/messaging/messages/publish'
import { streamExtent } from '@whereabouts/messaging/state/replay'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { expect } from 'vitest'

type RunResult = { code: number; out: string; errors: string }
type Listed = {
  total: number
  next_before: number | null
  letters: { seq: number; original_subject: string; size: number }[]
}

const PROGRAM = join(import.meta.dirname, '../dead-letters.ts')

/** The program as an operator runs it, with nothing in its environment but the broker. */
async function runWith(env: Record<string, string>, line: string): Promise<RunResult> {
  const { NODE_COMPILE_CACHE = '' } = process.env // makes a start twice as fast
  const child = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
    env: { NODE_COMPILE_CACHE, ...env },
    stdio: 'pipe',
  })
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, errors }
}

const loginOf = ({ server }: Bus, user: 'services' | 'system' = 'services') => ({
  NATS_URL: server.url,
  NATS_USER: user,
  NATS_PASSWORD: server.users[user].password,
})

const test = busTest.extend<{
  run: (line: string) => Promise<RunResult>
  list: (flags: string) => Promise<Listed>
}>({
  run: async ({ bus }, use) => use((line) => runWith(loginOf(bus), line)),
  list: async ({ run }, use) => use(async (flags) => JSON.parse((await run(`list --json${flags}`)).out)),
})

let streamSeq = 0
function keep({ broker }: Bus, failed: Partial<FailedMessage> = {}): Promise<void> {
  streamSeq += 1
  return keepDeadLetter(broker, {
    stream: 'SCANS',
    consumer: 'tracking-ingest',
    streamSeq,
    deliveryCount: 1,
    receivedAt: Date.parse('2026-11-21T10:00:00Z'),
    subject: 'scans.7.dock-1.canonical',
    data: Buffer.from('{"reads":[]}'),
    headers: { request_id: `R${streamSeq}` },
    reason: 'not a canonical message',
    ...failed,
  })
}
const keepEvent = (bus: Bus, org: number) =>
  keep(bus, { stream: 'EVENTS', consumer: 'webhook-dispatcher-events', subject: `events.asset-moved.${org}` })

const seqs = ({ letters }: Listed) => letters.map(({ seq }) => seq)

test('a list is newest first and shows how to get the next page', async ({ bus, run, list }) => {
  for (let n = 0; n < 5; n += 1) await keep(bus)
  const first = await run('list --limit 2')
  expect(first).toMatchObject({ code: 0, errors: '' })
  expect(first.out).toMatch(/^SEQ +KEPT AT[^\n]*\n5 [^\n]*scans\.7\.dock-1\.canonical[^\n]*\n4 [^\n]*\n\n/)
  expect(first.out).toContain('2 shown, 5 kept in all; older ones: --before 4')
  expect(await list(' --limit 2')).toMatchObject({ total: 5, next_before: 4 })
  expect(await list(' --limit 3 --before 4')).toMatchObject({
    next_before: null,
    letters: [{ seq: 3 }, {}, { seq: 1 }],
  })
})

test('filters select by stream, durable, organization and time', async ({ bus, list }) => {
  await keep(bus)
  await keep(bus, { subject: 'scans.70.dock-1.canonical' })
  await keepEvent(bus, 7)
  expect(seqs(await list(' --stream SCANS'))).toEqual([2, 1])
  expect(seqs(await list(' --durable webhook-dispatcher-events'))).toEqual([3])
  expect(seqs(await list(' --org 7'))).toEqual([3, 1])
  expect(seqs(await list(' --org 7 --stream SCANS'))).toEqual([1])
  expect(seqs(await list(' --since 1h'))).toEqual([3, 2, 1])
  expect(seqs(await list(' --since 2999-01-01'))).toEqual([])
})

test('dead letters on several pages are each handled once', async ({ bus, run, list }) => {
  const many = 1_203
  // Of several organizations: of one, the newest hundred are kept.
  for (let n = 0; n < many; n += 1) await keep(bus, { subject: `scans.${1 + (n % 13)}.dock-1.canonical` })
  const all = seqs(await list(' --limit 5000'))
  expect(all).toEqual(Array.from({ length: many }, (_, n) => many - n))
  const dropped = await run('drop --all --yes')
  expect(dropped).toMatchObject({ code: 0, out: `${many} dropped, 0 left in place\n` })
  expect(dropped.errors).toBe('500 dropped, 0 left in place\n1000 dropped, 0 left in place\n')
  expect(await list('')).toMatchObject({ total: 0, letters: [] })
})

test('a payload is shown whole and cannot control the terminal', async ({ bus, run }) => {
  const data = Buffer.from('{"name":"\u009b31m\u202e"}')
  await keep(bus, { subject: 'scans.7.dock-1.\u001b[2J', data, headers: { request_id: '\u001b]0;x\u0007' } })
  for (const line of ['show 1', 'show 1 --json', 'list', 'list --json']) {
    const { code, out } = await run(line)
    expect(code).toBe(0)
    expect(out).not.toMatch(/[^\n\P{C}]/u)
  }
  const { out } = await run('show 1')
  expect(out).toMatch(/^reason +not a canonical message$/m)
  expect(out).toMatch(/^header nats-msg-id +SCANS\./m)
  expect(out).toContain(String.raw`"name": "\u009b31m\u202e"`)
  const json = JSON.parse((await run('show 1 --json')).out)
  expect(json).toMatchObject({
    seq: 1,
    original_subject: 'scans.7.dock-1.\u001b[2J',
    payload: { name: '\u009b31m\u202e' },
  })
  expect(Buffer.from(json.payload_base64, 'base64').equals(data)).toBe(true)
})

test('the bytes go to a new file for its owner only and never overwrite one', async ({
  bus,
  run,
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'letters-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const data = Buffer.from([0, 27, 255])
  await keep(bus, { data })
  await keep(bus)
  const file = join(folder, 'raw')
  expect(await run(`show 1 --raw ${file}`)).toMatchObject({ code: 0 })
  expect(readFileSync(file).equals(data)).toBe(true)
  expect(await run(`show 2 --raw ${file}`)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('EEXIST'),
  })
  expect(readFileSync(file).equals(data)).toBe(true)
})

test('replayed messages are consumed, also with the filter of one organization', async ({
  bus,
  run,
  list,
}) => {
  await keepEvent(bus, 8)
  await keepEvent(bus, 7)
  await keepEvent(bus, 7)
  expect(await run('replay --all --org 7 --yes')).toEqual({
    code: 0,
    out: '2 replayed, 0 left in place\n',
    errors: '',
  })
  const subjects: string[] = []
  const consumption = consume(
    bus.broker,
    {
      durable: 'webhook-dispatcher-events',
      retryDelaysMs: [],
      decode: ({ subject }) => subject,
      async handle(subject: string) {
        subjects.push(subject)
      },
    },
    { logger: bus.logger, graceMs: 1_000 },
  )
  await eventually(() => expect(subjects).toEqual(['events.asset-moved.7', 'events.asset-moved.7']))
  await consumption.stop()
  expect(seqs(await list(''))).toEqual([1])
})

test.for(['replay', 'drop'] as const)(
  '%s --all only counts until --yes confirms it',
  async (command, { bus, run, list }) => {
    await keep(bus)
    await keepEvent(bus, 7)
    const { code, out } = await run(`${command} --all`)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^SCANS tracking-ingest +1\nEVENTS webhook-dispatcher-events +1\n2 would be \w+. Nothing was done: add --yes/,
    )
    expect(await list('')).toMatchObject({ total: 2 })
    expect((await streamExtent(bus.broker, 'SCANS')).lastSeq).toBe(0)
  },
)

test('a message that cannot be replayed stays with its reason, and the others are replayed', async ({
  bus,
  run,
  list,
}) => {
  await publish(bus.broker, { subject: 'catalog.asset.7.9', payload: { revision: 2 } })
  const old = { stream: 'CATALOG', consumer: 'tracking-catalog', subject: 'catalog.asset.7.9', streamSeq: 0 }
  await keep(bus, { ...old, data: Buffer.from('{"revision":1}') })
  await keep(bus)
  const { code, out, errors } = await run('replay 1 2 99')
  expect({ code, out }).toEqual({ code: 1, out: '1 replayed, 2 left in place\n' })
  expect(errors).toMatch(
    /^1 left in place: outdated: [^\n]*\n99 left in place: there is no such dead letter\n$/,
  )
  expect(seqs(await list(''))).toEqual([1])
  expect(await run('drop 1')).toMatchObject({ code: 0, out: '1 dropped, 0 left in place\n' })
})

test('a failure sets the exit code and prints one line', { timeout: 40_000 }, async ({ bus, run }) => {
  expect(await run('--help')).toMatchObject({ code: 0, errors: '' })
  expect(await run('show 1')).toEqual({ code: 1, out: '', errors: 'dead letter 1 does not exist\n' })
  expect(await run('replay all')).toMatchObject({
    code: 2,
    out: '',
    errors: expect.stringContaining('whole number from 1'),
  })
  const unset = await runWith({}, 'list')
  expect(unset).toMatchObject({ code: 78, errors: expect.stringContaining('NATS_URL is not set') })
  const refused = await runWith({ ...loginOf(bus), NATS_PASSWORD: 'wrong' }, 'list')
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('cannot connect to the broker') })
  const elsewhere = await runWith(loginOf(bus, 'system'), 'list')
  expect(elsewhere).toMatchObject({ code: 1, errors: expect.stringMatching(/^dead-letters: .+\n$/) })
})
