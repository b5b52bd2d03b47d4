import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { fc, SEED } from '@whereabouts/testing/fuzz'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { installClient, oldestNode } from '../flow/packed-client.ts'
import { installPythonClient } from '../flow/packed-python-client.ts'
import { newLocation, newOrganization, type Organization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-mirror-'))
  system = await startSystem()
}, 120_000)
afterAll(async () => {
  await system.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** `MIRROR_KILLS=100` for a long run. */
const KILLS = Number(process.env['MIRROR_KILLS'] ?? 15)
const ASSETS = 30
const SETTLED = { timeout: 120_000, interval: 1_000 }

const PAGE = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
/** The program of the guide, which also writes its copy into a file. */
function programOf(language: 'js' | 'python', file: string): string {
  const [, program = ''] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(PAGE) ?? []
  const [start, report] = {
    js: [
      '\nfor (;;) {',
      `\nimport { renameSync, writeFileSync } from 'node:fs'
setInterval(() => {
  writeFileSync('${file}.new', JSON.stringify([...assets.values()]))
  renameSync('${file}.new', '${file}')
}, 200)`,
    ],
    python: [
      '\nwhile True:\n    fill()',
      `
import json, threading, time
def report():
    while True:
        time.sleep(0.2)
        with open("${file}.new", "w") as copy:
            json.dump(list(assets.values()), copy)
        os.replace("${file}.new", "${file}")
threading.Thread(target=report, daemon=True).start()`,
    ],
  }[language] as [string, string]
  expect(program).toContain(start)
  return program.replace(start, `${report}\n${start}`)
}

const sorted = (assets: readonly AssetView[]) =>
  assets
    .map(({ tags, ...asset }) => ({ ...asset, tags: tags.toSorted((a, b) => a.id - b.id) }))
    .toSorted((a, b) => a.id - b.id)

/** The copy without what no event tells: a tag does not change when its asset was updated. */
const copyIn = (file: string) =>
  existsSync(file) ? sorted(JSON.parse(readFileSync(file, 'utf8')) as AssetView[]) : []

async function truth(org: Organization): Promise<AssetView[]> {
  const { data } = await org.admin.GET('/api/v1/assets', { params: { query: { limit: 200, window: 'any' } } })
  return sorted(data?.data ?? [])
}

/** Changes without end. What fails while a service is away is left out, or was done without an answer. */
async function changeThings(org: Organization, isOver: () => boolean): Promise<number> {
  const choices = fc.sample(fc.tuple(fc.nat(7), fc.nat(ASSETS - 1)), { numRuns: 50_000, seed: SEED })
  const ids = new Map<number, number>()
  let done = 0
  for (const [choice, n] of choices) {
    if (isOver()) break
    const params = { path: { asset_id: ids.get(n) ?? 1 } }
    const send = async () => {
      if (!ids.has(n)) {
        const body = { name: `Asset ${n}`, tags: [{ tag_type: 'ble' as const, value: `B-${n}-${done}` }] }
        const { data } = await org.admin.POST('/api/v1/assets', { body })
        if (data) ids.set(n, data.data.id)
        return data !== undefined
      }
      if (choice <= 2) return (await org.admin.PATCH('/api/v1/assets/{asset_id}', { params, body: { name: `Name ${done}` } })).response.ok
      if (choice === 3) return (await org.admin.POST('/api/v1/assets/{asset_id}/tags', { params, body: { tag_type: 'barcode', value: `C-${done}` } })).response.ok
      if (choice === 4) {
        const { data } = await org.admin.GET('/api/v1/assets/{asset_id}', { params })
        const tag_id = data?.data.tags[0]?.id
        return tag_id !== undefined && (await org.admin.DELETE('/api/v1/assets/{asset_id}/tags/{tag_id}', { params: { path: { ...params.path, tag_id } } })).response.ok
      }
      if (choice === 5) return (await org.admin.POST('/api/v1/assets/{asset_id}/restore', { params, body: {} })).response.ok
      if (choice === 6) return (await org.admin.POST('/api/v1/assets/{asset_id}/rename', { params, body: { external_key: `R-${n}-${done}` } })).response.ok
      return (await org.admin.DELETE('/api/v1/assets/{asset_id}', { params })).response.ok
    }
    if (await send().catch(() => false)) done += 1
    else await new Promise((next) => setTimeout(next, 100)) // a service is away
  }
  return done
} // oxfmt-ignore

const VICTIMS = ['webhook-dispatcher', 'catalog', 'gateway', 'webhook-dispatcher', 'keys'] as const

/** Every fifth time the broker instead. */
async function killOne({ stack }: System, n: number): Promise<void> {
  if (n % 5 === 4) {
    await stack.broker.stop('SIGKILL')
    await stack.broker.restart()
  } else {
    const victim = stack.service(VICTIMS[n % VICTIMS.length]!)
    await victim.kill('SIGKILL')
    victim.start()
  }
  for (const name of ['catalog', 'webhook-dispatcher', 'keys', 'gateway'] as const)
    await stack.service(name).waitReady()
}

test(`the programs of the guide end equal to the system after ${KILLS} kills`, { timeout: 900_000 }, async () => {
  const org = await newOrganization(system.stack, 'Mirror')
  await newLocation(org, 'Dock', 'DOCK')
  await installClient(folder)
  const python = await installPythonClient(folder)
  const programs = [
    ['js', oldestNode, 'mirror.mjs', 'js.json'],
    ...(python === undefined ? [] : [['python', python, 'mirror.py', 'python.json'] as const]),
  ] as const
  const env = {
    ...process.env,
    BASE: system.stack.urls.base,
    CLIENT_ID: org.integratorKey.clientId,
    CLIENT_SECRET: org.integratorKey.clientSecret,
  }
  const running: ChildProcess[] = []
  const said: string[] = []
  for (const [language, command, source, copy] of programs) {
    const own = join(folder, language)
    rmSync(join(folder, 'cursor'), { force: true })
    writeFileSync(join(folder, source), programOf(language, join(folder, copy)).replaceAll("'cursor'", `'${own}'`).replaceAll('"cursor"', `"${own}"`))
    const child = spawn(command, [join(folder, source)], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk) => said.push(String(chunk)))
    running.push(child)
  }
  try {
    let isOver = false
    const changing = changeThings(org, () => isOver)
    for (let n = 0; n < KILLS; n += 1) await killOne(system, n)
    isOver = true
    const done = await changing
    expect(done).toBeGreaterThan(KILLS)
    const wanted = await truth(org)
    console.log(`${done} changes, ${KILLS} kills, ${wanted.length} assets`)
    for (const [, , , copy] of programs)
      await vi.waitFor(() => expect(copyIn(join(folder, copy)), said.join('')).toEqual(wanted), SETTLED)
  } finally {
    for (const child of running) child.kill('SIGKILL')
  }
}) // oxfmt-ignore
