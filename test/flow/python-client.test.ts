import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { webhookSignature } from '@whereabouts/client/webhooks'
import { afterAll, beforeAll, expect } from 'vitest'
import { newOrganization } from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'
import { installPythonClient } from './packed-python-client.ts'

const run = promisify(execFile)
const CLIENT = join(import.meta.dirname, '../../libs/client-python')

/** The programs of the README, in order. */
const programs = [
  ...readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(/^```python\n([^]*?)^```$/gm),
].map(([, text = '']) => text)

let folder: string
let python: string | undefined
let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-python-'))
  python = await installPythonClient(folder)
}, 90_000)
test.beforeEach(({ skip }) => skip(python === undefined))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program in the folder with a key of a new organization. Resolves with the lines that it prints. */
async function runProgram(text: string): Promise<string[]> {
  const { integratorKey } = await newOrganization(system.stack, 'Python')
  const key = { CLIENT_ID: integratorKey.clientId, CLIENT_SECRET: integratorKey.clientSecret }
  const env = { ...process.env, BASE: system.stack.urls.base, ...key }
  const { stdout } = await run(python ?? '', ['-c', text], { cwd: folder, env })
  return stdout.trim().split('\n')
}

test('its own tests pass with the installed package', async () => {
  const args = ['-m', 'unittest', 'discover', '--top-level-directory', '.', '--start-directory', 'tests']
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  const { stderr } = await run(python ?? '', args, { cwd: CLIENT, env })
  expect(stderr).toMatch(/Ran [1-9]\d+ tests[^]*OK/)
})

test('the first program of the README says where its asset is', async () => {
  const [line] = await runProgram(programs[0] ?? '')
  expect(line).toMatch(/^PUMP-17 DOCK-1 \d{4}-/)
})

test('a program of at most 25 lines takes assets from a CSV file and saves an inventory', async () => {
  const [, program = ''] = programs
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(25)
  writeFileSync(
    join(folder, 'assets.csv'),
    'external_key,name\nA-1,Forklift\nA-2,Pallet\nA-1,Forklift 1\nA-1,Forklift 1\n',
  )
  const lines = await runProgram(program)
  const outcomes = ['A-1 created', 'A-2 created', 'A-1 updated', 'A-1 unchanged']
  expect(lines).toEqual([...outcomes, 'A-1 is at DOCK-2', 'A-2 is at DOCK-2'])
})

test('the asyncio program of the README creates assets at once and lists them', async () => {
  expect(await runProgram(programs[2] ?? '')).toEqual(['Crate 1', 'Crate 2', 'Crate 3'])
})

test('the webhook program of the README tells forged requests from late ones', async () => {
  const body = JSON.stringify({
    event: 'asset.moved',
    delivery_id: '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77',
    occurred_at: '2026-11-21T10:00:00.000Z',
    data: { asset: { external_key: 'PUMP-17' }, to_location: { name: 'Dock № 1' } },
  })
  const now = Math.floor(Date.now() / 1000)
  const deliveries = await Promise.all(
    [
      [now, 'whsec_a'],
      [now - 400, 'whsec_a'],
      [now, 'whsec_b'],
    ].map(async ([timestamp, secret]) => ({
      'x-service-timestamp': String(timestamp),
      'x-service-signature': await webhookSignature(body, String(timestamp), String(secret)),
    })),
  )
  const lines = await runProgram(`${programs.find((text) => text.includes('def receive'))}
import json
for headers in json.loads(${JSON.stringify(JSON.stringify(deliveries))}):
    print(receive(${JSON.stringify(body)}.encode(), headers, "whsec_a"))
`)
  expect(lines).toEqual(['PUMP-17 Dock № 1', '204', '204', '400'])
})

test('a refused token is replaced, tags are added, a taken one and a missing User-Agent are errors', async () => {
  const lines = await runProgram(`
from os import environ
import httpx
from whereabouts import ApiError, Whereabouts

class Spoiling(httpx.HTTPTransport):
    requests = 0

    def handle_request(self, request):
        self.requests += 1
        if self.requests == 2:
            request.headers["authorization"] = "Bearer ended"
        return super().handle_request(request)

def show_error(call):
    try:
        call()
    except ApiError as error:
        print(error.status, error.type, error.conflict and error.conflict["external_key"], len(error.request_id))
        return error

key = environ["BASE"], environ["CLIENT_ID"], environ["CLIENT_SECRET"]
tag = lambda value: {"tag_type": "rfid", "value": value}
fields = {"name": "Crate", "metadata": {"b": [1, {"c": True}], "a": None}, "valid_from": "2026-01-01T01:00:00.123999+01:00"}
with Whereabouts(*key, "tags/1", transport=Spoiling()) as client:
    print(client.upsert_asset("C-1", **fields, tags=[tag("AA")])["outcome"])
    print(client.upsert_asset("C-1", **fields, tags=[tag("AA")])["outcome"])
    both = client.upsert_asset("C-1", **fields, tags=[tag("BB")])
    print(both["outcome"], *sorted(tag["value"] for tag in both["tags"]))
    show_error(lambda: client.upsert_asset("C-2", name="Other", tags=[tag("AA")]))
    client.upsert_location("DOCK", name="Dock")
    client.save_inventory(["C-1"], "DOCK")
    history = client.rows("/api/v1/assets/{asset_id}/history", asset_id=both["id"], from_="2026-01-01T00:00:00Z")
    print([row["location_external_key"] for row in history])
    print(client.request("DELETE", f"/api/v1/assets/{both['id']}"))
    show_error(lambda: client.request("GET", f"/api/v1/assets/{both['id']}"))
with Whereabouts(*key, "python-httpx/1") as client:
    print(show_error(lambda: client.request("GET", "/api/v1/assets")).detail)
`)
  expect(lines).toEqual([
    'created',
    'unchanged',
    'updated AA BB',
    '409 conflict C-1 26',
    "['DOCK']",
    'None',
    '404 not_found None 26',
    '403 None None 26',
    'Forbidden: send a User-Agent that names your product, such as User-Agent: acme-warehouse/1.0',
  ])
})
