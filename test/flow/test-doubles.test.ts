import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, exchangeKey } from '@whereabouts/client/client'
import { testDouble } from '@whereabouts/client/testing'
import { expect, vi } from 'vitest'
import { newOrganization } from '../system/organization.ts'
import { play, steps, type Answer, type Send } from './double-scenario.ts'
import { test } from './flow.fixture.ts'
import { installPythonClient } from './packed-python-client.ts'

const run = promisify(execFile)

/** Makes requests as they are, without the retries of a client. */
const sender =
  (base: string, fetch: (request: Request) => Promise<Response>, token = 'any'): Send =>
  async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = {
      authorization: `Bearer ${token}`,
      'user-agent': 'tests/1',
      ...(body !== undefined && { 'content-type': type }),
    }
    const response = await fetch(
      new Request(`${base}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

let real: Answer[]
test.beforeAll(async ({ system }) => {
  const { base } = system.stack.urls
  const { integratorKey } = await newOrganization(system.stack, 'Double')
  const { access_token } = await exchangeKey(createClient({ baseUrl: base }), integratorKey)
  const settled = async (ask: () => Promise<number>, rows: number) => {
    await vi.waitFor(async () => expect(await ask()).toBe(rows), { timeout: 15_000 })
  }
  real = await play(
    sender(base, (request) => fetch(request), access_token),
    settled,
  )
})
/** A test double has an answer at once. */
const atOnce = async (ask: () => Promise<number>, rows: number) => expect(await ask()).toBe(rows)

test('the test double for JavaScript answers a scenario as the API does', async () => {
  const double = testDouble()
  expect(steps.length).toBeGreaterThan(50)
  expect(await play(sender(double.baseUrl, double.fetch), atOnce)).toEqual(real)
})

const PLAYER = `
import json, re, sys, httpx
from whereabouts.testing import api_double

double, kept, answers = api_double(), {}, []
with httpx.Client(transport=double["transport"], base_url=double["base_url"]) as client:
    for step in json.load(sys.stdin):
        path = re.sub(r"\\{(\\w+)\\}", lambda found: str(kept[found[1]]), step["path"])
        response = client.request(step["method"], path, json=step.get("body"))
        body = response.json() if response.content else None
        answers.append({"status": response.status_code, "body": body})
        for name, where in step.get("keep", {}).items():
            value = body
            for key in where.split("."):
                value = value[int(key) if key.isdigit() else key]
            kept[name] = value
print(json.dumps(answers))
`

test('the test double for Python answers it the same way', { timeout: 60_000 }, async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'double-'))
  try {
    const python = await installPythonClient(folder)
    if (python === undefined) skip('no Python with httpx')
    const playing = run(python ?? '', ['-c', PLAYER], { cwd: folder })
    playing.child.stdin?.end(JSON.stringify(steps))
    const answers = JSON.parse((await playing).stdout) as { status: number; body: unknown }[]
    const next = async () => answers.shift() ?? { status: 0, body: null }
    expect(await play(next, async () => undefined)).toEqual(real)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
