import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** What each area may import of ours. Unit and integration tests may use `testing` besides. */
const allowed: Record<string, readonly string[]> = {
  'libs/contracts': [],
  'libs/client': ['contracts'],
  'libs/service-kit': ['contracts'],
  'libs/{db,messaging}': ['contracts', 'service-kit'],
  'libs/testing': ['contracts', 'service-kit', 'db', 'messaging'],
  'services/!(console)': ['contracts', 'service-kit', 'db', 'messaging'],
  'services/console': ['client', 'service-kit'],
  // The local stack starts the system; what it does inside is done through the public API.
  deploy: ['client', 'contracts', 'db', 'messaging', 'service-kit'],
  // Black box: the system is known by its addresses and by the route table.
  test: ['client', 'contracts', 'deploy', 'testing'],
}

const ignored = ['**/node_modules/**', '**/.cache/**', '**/.data/**']
const sources = (area: string) => globSync(`${area}/**/*.{ts,tsx}`, { exclude: ignored })
const isTest = (file: string) => /\.(test|fixture)\.ts$|^services\/\w[\w-]*\/test\//.test(file)
const imports = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import) '([^']+)'|import\('([^']+)'\)/g)].map(
    (m) => m[1] ?? m[2] ?? '',
  )

/** The files of ours that a file imports, as paths of the checkout. */
const importedFiles = (file: string) =>
  imports(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)))

test.for(Object.entries(allowed))('%s imports only what it may', ([area, libs]) => {
  const files = sources(area)
  expect(files.length).toBeGreaterThan(0)
  const bad = files.flatMap((file) => {
    const may = isTest(file) ? [...libs, 'testing'] : libs
    const wanted = imports(file).flatMap((name) => /^@whereabouts\/([\w-]+)/.exec(name)?.[1] ?? [])
    return wanted.filter((lib) => !may.includes(lib)).map((lib) => `${file} imports ${lib}`)
  })
  expect(bad).toEqual([])
})

test('only libs/messaging knows the nats package; black-box tests may play a reader with it', () => {
  const others = sources('{libs/!(messaging),services/*,deploy}')
  expect(others.filter((file) => imports(file).includes('nats'))).toEqual([])
})

test('what runs in production imports nothing of the workshop', () => {
  const wrong = sources('{libs,services,deploy}')
    .filter(
      (file) => !isTest(file) && !file.startsWith('deploy/workshop/') && !/\/(?:test|testing)\//.test(file),
    )
    .flatMap((file) =>
      [...importedFiles(file), ...imports(file)]
        .filter((name) => /deploy\/workshop\//.test(name))
        .map((name) => `${file} imports ${name}`),
    )
  expect(wrong).toEqual([])
})

test('only main.ts reads the environment of a service', () => {
  const files = sources('services/*/src').filter((file) => !file.endsWith('/main.ts') && !isTest(file))
  const readers = files.filter((file) => readFileSync(file, 'utf8').includes('process.env'))
  // Commands an operator runs are programs of their own.
  expect(readers.filter((file) => !/\/(republish|ops|restore)(\/main)?\.ts$/.test(file))).toEqual([])
})

test('a service reaches another only over HTTP or NATS', () => {
  const crossing = sources('services/*').flatMap((file) => {
    const own = file.split('/')[1]
    return importedFiles(file)
      .filter((name) => name.startsWith('services/') && !name.startsWith(`services/${own}/`))
      .map((name) => `${file} imports ${name}`)
  })
  expect(crossing).toEqual([])
})

test('a feature calls the queries of another feature, never its handlers', () => {
  const wrong = sources('services/*/src/*').flatMap((file) => {
    const feature = /^(services\/[^/]+\/src\/[^/]+(?:\/[^/]+(?=\/))?)/.exec(file)?.[1]
    return imports(file)
      .filter((name) => /^\.\..*\.handlers\.ts$/.test(name))
      .filter((name) => !join(dirname(file), name).startsWith(`${feature}/`))
      .map((name) => `${file} imports ${name}`)
  })
  expect(wrong.filter((line) => !/\.(int\.)?test\.ts imports/.test(line))).toEqual([])
})

test('inside a service queries know nothing of handlers, and rules nothing of the database', () => {
  const wrong = sources('services/*/src').flatMap((file) => {
    const forbidden = file.endsWith('.queries.ts')
      ? /\.(handlers|consumer|loop)\.ts$/
      : file.endsWith('.rules.ts')
        ? /\.(handlers|queries|consumer)\.ts$|^(kysely|fastify)$/
        : undefined
    return forbidden
      ? imports(file)
          .filter((name) => forbidden.test(name))
          .map((name) => `${file} imports ${name}`)
      : []
  })
  expect(wrong).toEqual([])
})

/** One circle of `arrows`, as a list of nodes; undefined if there is none. */
function circle(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of arrows.get(node) ?? []) {
      const found = visit(next, [...path, node])
      if (found) return found
    }
    done.add(node)
    return undefined
  }
  return [...arrows.keys()].map((node) => visit(node, [])).find((found) => found !== undefined)
}

const areas = ['libs/!(client-python)/src', 'services/*/src', 'services/console/web', 'deploy']

test.for(areas.flatMap((area) => globSync(area)))('no files of %s import each other in a circle', (area) => {
  const files = sources(area).filter((file) => !isTest(file))
  const arrows = files.map((file) => [file, new Set(importedFiles(file))] as const)
  expect(arrows.length).toBeGreaterThan(0)
  expect(circle(new Map(arrows))).toBeUndefined()
})

const houses = [...globSync('services/*/src'), ...globSync('libs/!(client-python)/src')]

test.for(houses)('no rooms of %s import each other in a circle', (house) => {
  const roomOf = (file: string) =>
    file.startsWith(`${house}/`) ? /^([^/]+)\//.exec(file.slice(house.length + 1))?.[1] : undefined
  const arrows = new Map<string, Set<string>>()
  for (const file of sources(house).filter((each) => !isTest(each))) {
    const from = roomOf(file)
    if (from === undefined) continue
    const reached = importedFiles(file).flatMap((name) => roomOf(name) ?? [])
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...reached.filter((to) => to !== from)]))
  }
  expect(circle(arrows)).toBeUndefined()
})
