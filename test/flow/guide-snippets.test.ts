import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  verifyWebhookSignature,
  WebhookVerificationError,
  webhookSignature,
} from '@whereabouts/client/webhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideBlock, hasProgram, runOn } from './guide.ts'

type Case = {
  name: string
  body: string
  headers: Record<string, string>
  secret: string
  now: number
  want: boolean
}

const AT = 1_753_452_192
const good = {
  body: '{"a":1}',
  headers: {
    'x-service-timestamp': String(AT),
    'x-service-signature': 'sha256=d9a5a690a7b324dc43a07dcefcbf7274464107255792917d25cf423d84c3f1bc',
  },
  secret: 'whsec_test',
  now: AT,
}
const withHeader = (name: string, value: string) => ({ headers: { ...good.headers, [name]: value } })
const signature = good.headers['x-service-signature']
const real = JSON.stringify({ event: 'asset.moved', data: { asset: { name: 'Gabelstapler № 7 🚜' } } })

const cases: Case[] = [
  { name: 'the known vector', ...good, want: true },
  { name: 'five minutes late', ...good, now: AT + 300, want: true },
  { name: 'five minutes early', ...good, now: AT - 300, want: true },
  { name: 'too old', ...good, now: AT + 301, want: false },
  { name: 'too new', ...good, now: AT - 301, want: false },
  { name: 'another body', ...good, body: '{"a":2}', want: false },
  { name: 'the body serialized again', ...good, body: '{"a": 1}', want: false },
  { name: 'an empty body', ...good, body: '', want: false },
  { name: 'another secret', ...good, secret: 'whsec_tesu', want: false },
  { name: 'another timestamp', ...good, ...withHeader('x-service-timestamp', String(AT + 1)), want: false },
  { name: 'an invalid timestamp', ...good, ...withHeader('x-service-timestamp', 'soon'), want: false },
  { name: 'another signature', ...good, ...withHeader('x-service-signature', signature.replace(/.$/, 'd')), want: false },
  { name: 'a short signature', ...good, ...withHeader('x-service-signature', signature.slice(0, -1)), want: false },
  { name: 'a bare digest', ...good, ...withHeader('x-service-signature', signature.slice(7)), want: false },
  { name: 'a signature beyond ASCII', ...good, ...withHeader('x-service-signature', 'sha256=é'), want: false },
  { name: 'no signature', ...good, headers: { 'x-service-timestamp': String(AT) }, want: false },
  { name: 'no timestamp', ...good, headers: { 'x-service-signature': signature }, want: false },
  { name: 'no headers', ...good, headers: {}, want: false },
] // oxfmt-ignore

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-guide-'))
  const headers = {
    ...good.headers,
    'x-service-signature': await webhookSignature(real, String(AT), 'whsec_test'),
  }
  cases.push({ name: 'a body beyond ASCII', ...good, body: real, headers, want: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const wanted = () => cases.map(({ name, want }) => ({ name, got: want }))

/** Runs all cases in one process of the program, which prints a list of booleans. */
async function verdicts(file: string, source: string, command: string) {
  writeFileSync(join(folder, file), source)
  const printed = await runOn(JSON.stringify(cases), command, [file], folder)
  const got = JSON.parse(printed) as boolean[]
  return cases.map(({ name }, i) => ({ name, got: got[i] }))
}

test('D11.2 the Node snippet of the guide accepts the known vector and refuses a changed one', async () => {
  const source = `${guideBlock('js', 'function verify')}
    import { readFileSync } from 'node:fs'
    const cases = JSON.parse(readFileSync(0, 'utf8'))
    const got = cases.flatMap(({ body, headers, secret, now }) =>
      [body, Buffer.from(body)].map((raw) => verify(raw, headers, secret, { now })))
    console.log(JSON.stringify(got.filter((_, i) => i % 2 === 0)))
    if (got.some((one, i) => one !== got[i ^ 1])) throw new Error('text and bytes differ')`
  expect(await verdicts('verify.mjs', source, process.execPath)).toEqual(wanted())
})

test.skipIf(!hasProgram('python3'))(
  'D11.2 the Python snippet of the guide accepts the known vector and refuses a changed one (needs python3)',
  async () => {
    const source = `${guideBlock('python', 'def verify')}
import json, sys
from email.message import Message

def message(headers):
    kept = Message()  # what http.server hands over
    for name, value in headers.items():
        kept[name] = value
    return kept

cases = json.load(sys.stdin)
print(json.dumps([verify(c["body"].encode(), message(c["headers"]), c["secret"], now=c["now"]) for c in cases]))
`
    expect(await verdicts('verify.py', source, 'python3')).toEqual(wanted())
  },
)

test('D11.2 the client decides every one of these cases like the snippets', async () => {
  const decisions = cases.map(async ({ name, body, headers, secret, now }) => {
    const verifying = verifyWebhookSignature(body, headers, secret, { now: () => now * 1000 })
    const got = await verifying.then(
      () => true,
      (error: unknown) => !(error instanceof WebhookVerificationError),
    )
    return { name, got }
  })
  expect(await Promise.all(decisions)).toEqual(wanted())
})
