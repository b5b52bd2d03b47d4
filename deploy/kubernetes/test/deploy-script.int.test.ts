import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findKubectl } from '../../local/servers/kubectl.ts'
import { ROOT } from '../../local/services.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-script-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A kubectl that renders, records its other calls, and reports the state of each Job from `jobs`. */
async function writeKubectl(jobs: Record<string, string>): Promise<void> {
  const real = await findKubectl({ cacheDir: join(ROOT, '.cache/kubectl') })
  const replies = Object.entries(jobs).map(([name, state]) => `*"get job ${name} "*) echo ${state} ;;`)
  const script = [
    '#!/bin/sh',
    `[ "$1" = kustomize ] && exec "${real}" "$@"`,
    `echo "$*" >> "${folder}/calls"`,
    'case "$*" in',
    ...replies,
    '*" logs "*) echo "relation does not exist" ;;',
    'esac',
  ]
  writeFileSync(join(folder, 'kubectl'), script.join('\n'), { mode: 0o755 })
}

async function deploy(jobs: Record<string, string>, variables: Record<string, string> = {}) {
  await writeKubectl(jobs)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, ...variables }
  const overlay = join(ROOT, 'k8s/overlays/production')
  const { status, stderr } = spawnSync(join(ROOT, 'k8s/deploy.sh'), [overlay], { encoding: 'utf8', env })
  const calls = readFileSync(join(folder, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((call) => call.replace(/ --filename \S+/, ''))
  return { status, stderr, calls }
}

const applied = (calls: string[]) => calls.flatMap((call) => /deploy-stage=(\w+)/.exec(call)?.[1] ?? [])

test('servers are ready before the steps start, and the steps are complete before a service changes', async () => {
  const { status, calls } = await deploy({ migrate: 'Complete', topology: 'Complete' })
  expect(status).toBe(0)
  const at = (part: string) => calls.findIndex((call) => call.includes(part))
  const order = [
    'apply --namespace whereabouts --selector deploy-stage=servers',
    'wait --for condition=Ready clusters.postgresql.cnpg.io/postgres',
    'rollout status statefulset/nats',
    'delete job migrate --ignore-not-found',
    'delete job topology --ignore-not-found',
    'apply --namespace whereabouts --selector deploy-stage=steps',
    'get job migrate',
    'get job topology',
    'apply --namespace whereabouts --selector deploy-stage=services',
    'rollout status deployment/gateway',
  ].map(at)
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(calls.filter((call) => call.includes('rollout status deployment/'))).toHaveLength(6)
})

test('a failed migration is reported and no service changes', async () => {
  const { status, stderr, calls } = await deploy({ migrate: 'Failed', topology: 'Complete' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('relation does not exist')
  expect(stderr).toContain('migrate did not complete (Failed)')
  expect(applied(calls)).toEqual(['servers', 'steps'])
})

test('the wait for a step ends after STEP_TIMEOUT', async () => {
  const { status, calls } = await deploy({ migrate: 'Complete', topology: '' }, { STEP_TIMEOUT: '0' })
  expect(status).not.toBe(0)
  expect(applied(calls)).toEqual(['servers', 'steps'])
})

test('without an overlay it prints an error', () => {
  const { status, stderr } = spawnSync(join(ROOT, 'k8s/deploy.sh'), [], { encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('which overlay?')
})
