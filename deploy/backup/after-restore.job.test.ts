import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type Job = {
  spec: {
    template: {
      spec: { containers: [{ env: { name: string }[]; envFrom: { configMapRef?: { name: string } }[] }] }
    }
  }
}
type Steps = {
  configMapGenerator: { name: string; envs: string[]; options?: { disableNameSuffixHash?: boolean } }[]
}

function firstOf(path: string): Job {
  const [job] = parseAllDocuments(read(path))
  if (!job) throw new Error(`${path} is empty`)
  return job.toJS() as Job
}

test('the Job takes the limits of the streams from the installation', () => {
  const [container] = firstOf('deploy/backup/after-restore.job.yaml').spec.template.spec.containers
  const { configMapGenerator } = parse(read('k8s/base/steps/kustomization.yaml')) as Steps
  const named = new Set(container.envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []))
  const found = configMapGenerator.filter(({ name }) => named.has(name))
  // The Job is applied outside of kustomize, which would not change the name in it.
  expect(found).toMatchObject([{ options: { disableNameSuffixHash: true } }])
  const given = found.flatMap(({ envs }) => envs.map((file) => read(join('k8s/base/steps', file)))).join('\n')
  const own = new Set(container.env.map(({ name }) => name))
  for (const limit of ['STREAM_REPLICAS', 'SCANS_MAX_BYTES']) {
    expect(given).toMatch(new RegExp(`^${limit}=\\d+$`, 'm'))
    expect(own.has(limit)).toBe(false)
  }
})
