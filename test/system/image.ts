import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
/** Where `npm test` has put it. */
const PNPM = join(ROOT, '.cache/tools/node_modules/pnpm/bin/pnpm.mjs')
/** Whoever owns nothing: the image's user where we may choose one. */
const NOBODY = { uid: 65_534, gid: 65_534 }

export type Image = {
  /** What is `/app` in the image. */
  folder: string
  /** `docker run` of the image: its entry point with this command, on its files, which it cannot change. */
  run(command: readonly string[], env: Record<string, string>): ChildProcess
  remove(): void
}

/**
 * Lays out the file system that deploy/Dockerfile builds, by its own instructions: the context without what its ignore
 * file names, and the packages as its install step says. Throws when the Dockerfile says something this does not know.
 */
export function layOutImage(): Image {
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-image-'))
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '')
  const all = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line))
  expectSteps(all)
  copyContext(folder)
  const steps = all.slice(all.findIndex((step) => step.endsWith(' AS packages')))
  const install = /&& |pnpm (install .*)$/.exec(
    steps.find((step) => step.includes('pnpm install')) ?? '',
  )?.[1]
  const flags = install?.replaceAll('"', '').replace('${SERVICE}', '*').split(/\s+/) ?? []
  const store = flags.indexOf('--store-dir')
  flags.splice(store, 2)
  const packages = spawnSync(process.execPath, [PNPM, ...flags, '--prefer-offline'], {
    cwd: folder,
    encoding: 'utf8',
    // Our own Node first: pnpm asks the one on PATH for its version.
    env: {
      ...process.env,
      CI: 'true',
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
    },
  })
  if (packages.status !== 0) throw new Error(`the install step failed:\n${packages.stdout}${packages.stderr}`)
  for (const step of steps.filter((each) => each.startsWith('RUN find '))) {
    const { status, stderr } = spawnSync('sh', ['-c', step.slice(4)], { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${step} failed:\n${stderr}`)
  }
  copyConsole(all, folder)
  chmodSync(folder, 0o755)
  spawnSync('chmod', ['-R', 'a-w,a+rX', folder])
  return {
    folder,
    run: (command, env) =>
      spawn(process.execPath, [...command], {
        cwd: folder,
        env: { NODE_ENV: 'production', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(process.getuid?.() === 0 && NOBODY),
      }),
    remove() {
      spawnSync('chmod', ['-R', 'u+w', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The last stage, of which everything here is the rehearsal. */
function expectSteps(steps: readonly string[]): void {
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')) + 1)
  const known = [
    'ARG APP_VERSION=',
    'ENV NODE_ENV=production APP_VERSION=${APP_VERSION}',
    'WORKDIR /app',
    'COPY --from=packages /app ./',
    'USER node',
    'ENTRYPOINT ["node"]',
    'CMD ["--version"]',
  ]
  if (last.join('\n') !== known.join('\n'))
    throw new Error(`another last stage than known:\n${last.join('\n')}`)
}

/** The stage of its own that builds the web app: `npm test` has run the same build in this checkout. */
function copyConsole(steps: readonly string[], folder: string): void {
  const built = 'services/console/dist'
  if (!steps.includes(`COPY --from=console /app/${built} ${built}`))
    throw new Error('the web app is copied in another way than known')
  cpSync(join(ROOT, built), join(folder, built), { recursive: true })
}

function copyContext(folder: string): void {
  const patterns = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter(Boolean)
  const ignored = patterns.map(matcherOf)
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => !ignored.some((matches) => matches(relative(ROOT, path))),
  })
}

/** Of the few kinds of patterns in use: `name` at the top, and `**` before a name or the end of one. */
function matcherOf(pattern: string): (path: string) => boolean {
  const [, name = ''] = /^\*\*\/(.+)$/.exec(pattern) ?? []
  if (name.startsWith('*')) return (path) => path.endsWith(name.slice(1))
  if (name !== '') return (path) => basename(path) === name
  if (pattern.includes('*')) throw new Error(`a kind of pattern that is not known here: ${pattern}`)
  return (path) => path === pattern
}

/** Packages from the registry that the image holds, as `name@version`. */
export function packagesOf({ folder }: Image): string[] {
  const store = join(folder, 'node_modules/.pnpm')
  if (!existsSync(store)) return []
  return readdirSync(store)
    .filter((entry) => /@\d/.test(entry))
    .map((entry) => entry.replaceAll('+', '/').replace(/_.*$/, ''))
}

/** What the image's own layer weighs, in MiB. */
export const sizeOf = ({ folder }: Image): number =>
  Number(spawnSync('du', ['-sm', folder], { encoding: 'utf8' }).stdout.split('\t')[0])
