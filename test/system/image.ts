import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { dockerIgnore } from '@whereabouts/deploy/image-context.fixture'

const ROOT = resolve(import.meta.dirname, '../..')
/** `npm test` puts it there. */
const PNPM = join(ROOT, '.cache/tools/node_modules/pnpm/bin/pnpm.mjs')
/** A user that owns no file: the user of the image if we run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 }

export type Image = {
  /** The folder that is `/app` in the image. */
  folder: string
  /** Like `docker run`: the entry point with this command, on files that it cannot change. */
  run(command: readonly string[], env: Record<string, string>): ChildProcess
  remove(): void
}

/**
 * Lays out the file system of the image by the instructions of deploy/Dockerfile: the context without ignored files,
 * and the packages of its install step. Throws for an instruction that is unknown here.
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

/** Throws unless the last stage is the one that this file imitates. */
function expectSteps(steps: readonly string[]): void {
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')) + 1)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const known = [
    'WORKDIR /app',
    'COPY --from=packages /app ./',
    `ARG APP_VERSION=${version}`,
    'ARG APP_COMMIT=',
    'ARG APP_BUILT_AT=',
    'LABEL org.opencontainers.image.version=${APP_VERSION} org.opencontainers.image.revision=${APP_COMMIT} org.opencontainers.image.created=${APP_BUILT_AT}',
    'ENV NODE_ENV=production APP_VERSION=${APP_VERSION} APP_COMMIT=${APP_COMMIT} APP_BUILT_AT=${APP_BUILT_AT}',
    'USER node',
    'ENTRYPOINT ["node"]',
    'CMD ["--version"]',
  ]
  if (last.join('\n') !== known.join('\n')) throw new Error(`the last stage has changed:\n${last.join('\n')}`)
}

/** Another stage builds the web app, the documentation and the packages of the clients; `npm test` has run the same builds in this checkout. */
function copyConsole(steps: readonly string[], folder: string): void {
  for (const built of ['dist', 'dist-docs', 'dist-downloads'].map((name) => `services/console/${name}`)) {
    if (!steps.includes(`COPY --from=console /app/${built} ${built}`))
      throw new Error(`the step that copies ${built} has changed`)
    cpSync(join(ROOT, built), join(folder, built), { recursive: true })
  }
}

function copyContext(folder: string): void {
  const isIgnored = dockerIgnore()
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => path === ROOT || !isIgnored(relative(ROOT, path)),
  })
}

/** Packages from the registry that the image holds, as `name@version`. */
export function packagesOf({ folder }: Image): string[] {
  const store = join(folder, 'node_modules/.pnpm')
  if (!existsSync(store)) return []
  return readdirSync(store)
    .filter((entry) => /@\d/.test(entry))
    .map((entry) => entry.replaceAll('+', '/').replace(/_.*$/, ''))
}

/** Size of the image's own layer in MiB. */
export const sizeOf = ({ folder }: Image): number =>
  Number(spawnSync('du', ['-sm', folder], { encoding: 'utf8' }).stdout.split('\t')[0])
