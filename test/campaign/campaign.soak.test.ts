import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { campaign } from './campaign.ts'
import { readOptions } from './options.ts'
import { Owners } from './owners.ts'
import { CLIENT_LINK } from './plan/targets.ts'
import { startCampaignSystem, type CampaignSystem } from './system/campaign-system.ts'
import { newPlace, type Place } from './system/place.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'campaign-test-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const NO_VERDICT = /^No verdict: (.*)\. Logs and facts: (\S+)\.$/

/** The reason of the last line, and what was kept. Fails if the last line is not that there is no verdict. */
function keptBy(lines: readonly string[]) {
  const [, reason = '', folder = ''] = NO_VERDICT.exec(lines.at(-1) ?? '') ?? []
  expect(folder, lines.join('\n')).not.toBe('')
  const facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as {
    verdict: string
    seed: number
  }
  return { reason, folder, facts }
}

const dataFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('whereabouts-campaign-'))

const logsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /logs\/.+\.log/.test(name))

test('a broker that does not start: no verdict, logs and facts are kept, and the process ends', async () => {
  const bin = join(FOLDER, 'bin')
  const broken = `#!/bin/sh\nif [ "$1" = --version ]; then echo "nats-server: v2.15.1"; else echo "[FTL] no memory" >&2; exit 1; fi\n`
  mkdirSync(bin)
  writeFileSync(join(bin, 'nats-server'), broken, { mode: 0o755 })
  const before = dataFolders()
  const program = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [program, '--minutes', '0.1', '--seed', '7'], {
    env: { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => output.push(text.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const lines = output.join('').trimEnd().split('\n')
  const { reason, folder, facts } = keptBy(lines)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(code).toBe(2)
  expect(reason).toContain('nats')
  expect(facts).toMatchObject({ seed: 7, verdict: expect.stringContaining('no verdict: ') })
  expect(logsIn(folder)).not.toEqual([])
  expect(dataFolders()).toEqual(before) // its own is gone
})

/** One system for all rounds here; each round disturbs it in its own way. */
let system: CampaignSystem
let place: Place
const owners = new Owners()
beforeAll(async () => {
  place = newPlace(owners)
  system = await startCampaignSystem(place, owners)
}, 240_000)
afterAll(async () => expect(await owners.close()).toEqual([]), 120_000)

/** A round without faults of its own on the system. `onLine` breaks something when the campaign says what it does. */
async function round(parts: { onLine?: (line: string) => void; interrupted?: Promise<never> }) {
  const lines: string[] = []
  const options = readOptions(['--minutes', '0.1', '--seed', '7', '--every', '600', '--only', '999'], 1)
  if (options === 'help') throw new Error('no options')
  const code = await campaign(options, {
    logs: FOLDER,
    loginMs: 1_000,
    interrupted: parts.interrupted ?? new Promise(() => undefined),
    start: async () => system,
    say: (line) => {
      lines.push(...line.trim().split('\n'))
      parts.onLine?.(line)
    },
  })
  expect(lines.filter((line) => line.includes('left open'))).toEqual([])
  return { code, lines }
}

test('a reader that cannot log in ends the round at once, with its cause', async () => {
  const link = system.links.get('reader-1-nats>broker')
  link?.cut()
  const { code, lines } = await round({})
  link?.heal()
  const { reason, facts } = keptBy(lines)
  expect(code).toBe(2)
  expect(reason).toMatch(/^a reader could not log in over nats in 1 s \(.+\)$/)
  expect(lines.join('\n')).not.toContain('the load has ended')
  expect(facts.verdict).toContain('a reader could not log in')
}, 120_000)

test('a system that does not answer the check: no verdict', async () => {
  const link = system.links.get(CLIENT_LINK)
  const onLine = (line: string) => line.includes('the load has ended') && link?.cut()
  const { code, lines } = await round({ onLine })
  link?.heal()
  expect(code).toBe(2)
  expect(keptBy(lines).reason).toContain('the quiet system does not answer: history')
}, 120_000)

test('a campaign that is stopped has no verdict, and says so', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  const onLine = (line: string) => line.includes('Seed') && reject(new Error('stopped by SIGTERM'))
  const { code, lines } = await round({ interrupted: promise, onLine })
  expect([code, keptBy(lines).reason]).toEqual([2, 'stopped by SIGTERM'])
}, 120_000)
