import { problemsOf } from './checks.ts'
import { renderInstallation, type Installation } from './installation.fixture.ts'
import { find, type Container, type Manifest } from './manifest.ts'

/** Production; each case changes its own copy. */
export const production: Installation = await renderInstallation('production')

export const check = ({ objects, secrets, size, expected }: Installation): Promise<string[]> =>
  problemsOf(objects, secrets, size, expected)

type Broken = (installation: Installation, get: (kind: string, name: string) => Manifest) => unknown

/** Title, expected problem, and the change that causes it. */
export type Case = [what: string, problem: string | RegExp, breakIt: Broken]

/** The problems of production after one change. */
export async function problemsWhen(breakIt: Broken): Promise<string[]> {
  const { objects, secrets } = structuredClone({ objects: production.objects, secrets: production.secrets })
  const copy = { ...production, objects, secrets }
  breakIt(copy, (kind, name) => find(copy.objects, kind, name)!)
  return check(copy)
}

export const matches = (problem: string | RegExp) => (reported: string) =>
  typeof problem === 'string' ? reported.includes(problem) : problem.test(reported)

export const first = <T>(list: T[] | undefined): T => list![0]!
export const pod = (object: Manifest) => object.spec.template!.spec
export const container = (object: Manifest): Container => first(pod(object).containers)

/** The values of a ConfigMap, whose name ends in a digest. */
export const settings = ({ objects }: Installation, name: string) =>
  objects.find(({ kind, metadata }) => kind === 'ConfigMap' && withoutDigest(metadata.name) === name)!.data!

const withoutDigest = (name: string) => name.replace(/-[a-z0-9]{10}$/, '')

export const without = ({ objects }: Installation, kind: string, name: string) =>
  objects.splice(
    objects.findIndex((object) => object.kind === kind && object.metadata.name === name),
    1,
  )
