import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import { findKubectl } from '../../workshop/downloads/kubectl.ts'
import { ROOT } from '../../installation/services.ts'
import { renderInstallation } from './installation.fixture.ts'

/** A pattern of sh's `case` for the arguments, and the commands that answer. The first that matches answers. */
export type Answers = [pattern: string, commands: string][]

export type Cluster = {
  folder: string
  /** Runs a script of k8s/ with a kubectl that renders, records its other calls and gives these answers. */
  run(
    script: string,
    args: readonly string[],
    answers?: Answers,
    variables?: Record<string, string>,
  ): { status: number | null; stderr: string; stdout: string; calls: string[] }
}

export const PRODUCTION = join(ROOT, 'k8s/overlays/production')

const VERSIONS = 'Client Version: v1.32.3\nKustomize Version: v5.5.0\nServer Version: v1.34.2'
const objects = (await renderInstallation('production')).objects

/** A cluster that has everything: the kinds of production, a default storage class, all permissions and Secrets. */
const healthy: Answers = [
  ['version', `printf '${VERSIONS}\\n'`],
  ['*"get storageclass --output"*', 'echo standard=true'],
  ...[...new Set(objects.map(({ apiVersion }) => apiVersion))].map((version): Answers[number] => {
    const path = version.includes('/') ? `/apis/${version}` : `/api/${version}`
    const kinds = objects.filter(({ apiVersion }) => apiVersion === version).map(({ kind }) => ({ kind }))
    return [`"get --raw ${path}"`, `echo '${JSON.stringify({ resources: kinds })}'`]
  }),
  ['*"get job "*', 'echo Complete'],
]

async function cluster(folder: string): Promise<Cluster> {
  const real = await findKubectl({ cacheDir: join(ROOT, '.cache/kubectl') })
  const record = join(folder, 'calls')
  return {
    folder,
    run(script, args, answers = [], variables = {}) {
      rmSync(record, { force: true })
      const lines = [
        '#!/bin/sh',
        `cd '${folder}'`,
        `[ "$1" = kustomize ] && exec '${real}' "$@"`,
        `echo "$*" >> '${record}'`,
        'case "$*" in',
        ...[...answers, ...healthy].map(([pattern, commands]) => `${pattern}) ${commands} ;;`),
        'esac',
      ]
      writeFileSync(join(folder, 'kubectl'), lines.join('\n'), { mode: 0o755 })
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, ...variables }
      const { status, stderr, stdout } = spawnSync(join(ROOT, 'k8s', script), args, { encoding: 'utf8', env })
      const calls = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []
      return { status, stderr, stdout, calls: calls.map((call) => call.replace(/ --filename \S+/, '')) }
    },
  }
}

export const test = base.extend<{ cluster: Cluster }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of fixtures from the pattern
  cluster: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-'))
    await use(await cluster(folder))
    rmSync(folder, { recursive: true })
  },
})

/** The stages that were applied, without those that the server only checked. */
export const applied = (calls: readonly string[]): string[] =>
  calls
    .filter((call) => !call.includes('--dry-run'))
    .flatMap((call) => /deploy-stage=(\w+)/.exec(call)?.[1] ?? [])
