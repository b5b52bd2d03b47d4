// Plain JavaScript without dependencies, see progress.mjs.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StepError } from './progress.mjs'
import { runProgram } from './run-program.mjs'

const LOCK = new URL('./tools-lock.json', import.meta.url)
/** In the folder of an unpacked package: the hash that it was compared with. */
const STAMP = '.integrity'

/** @returns {Record<string, string>} "name@version" and the hash of its archive, as a lockfile writes it */
export const readToolsLock = () => JSON.parse(readFileSync(LOCK, 'utf8'))

/** Whether `package` ("name@version") was unpacked here and had the hash of today's lock. */
export function isUnpacked(/** @type {string} */ folder, /** @type {string} */ spec) {
  const stamp = join(packageFolder(folder, spec), STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === readToolsLock()[spec]
}

/**
 * Downloads a package from the registry that npm is set up for, compares it with its hash in tools-lock.json and unpacks
 * it to `node_modules/<name>` in `folder`. Runs none of its scripts. Rejects with a StepError before anything is unpacked.
 * @param {string} folder
 * @param {string} spec "name@version"
 * @param {string} [integrity] the hash it must have
 */
export async function fetchPackage(folder, spec, integrity = readToolsLock()[spec]) {
  if (!integrity) throw unknownPackage(spec)
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, 'fetching-'))
  try {
    const archive = await download(scratch, spec)
    assertIntegrity(archive, spec, integrity)
    await runProgram(`unpacking ${spec}`, 'tar', ['-xzf', archive], { cwd: scratch, env: process.env })
    const unpacked = join(scratch, 'package')
    writeFileSync(join(unpacked, STAMP), integrity)
    const target = packageFolder(folder, spec)
    mkdirSync(dirname(target), { recursive: true })
    rmSync(target, { recursive: true, force: true })
    renameSync(unpacked, target)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** @param {string} folder @param {string} spec */
const packageFolder = (folder, spec) => join(folder, 'node_modules', spec.slice(0, spec.lastIndexOf('@')))

/** @param {string} scratch an empty folder @param {string} spec @returns {Promise<string>} path of the archive */
async function download(scratch, spec) {
  const [command, ...first] = npmCommand()
  await runProgram(`npm pack ${spec}`, command, [...first, 'pack', spec, '--ignore-scripts', '--silent'], {
    cwd: scratch,
    env: cleanEnvironment(),
  })
  const name = readdirSync(scratch).find((file) => file.endsWith('.tgz'))
  if (!name) throw new StepError(`npm pack ${spec} wrote no archive.`, 'Run the command again.')
  return join(scratch, name)
}

/** @param {string} archive @param {string} spec @param {string} integrity "sha512-" and the hash in base64 */
function assertIntegrity(archive, spec, integrity) {
  const actual = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (actual === integrity) return
  throw new StepError(
    `${spec} from the registry differs from the pinned package. None of it was run.`,
    'Find out why before you continue. Pinned in deploy/workshop/launch/tools-lock.json and received:',
    `${integrity}\n${actual}`,
  )
}

/** @param {string} spec */
const unknownPackage = (spec) =>
  new StepError(
    `deploy/workshop/launch/tools-lock.json has no hash of ${spec}.`,
    `Add it with the new version: npm view ${spec} dist.integrity`,
  )

/** The npm that started us, or the one that came with this Node, or the one on PATH. */
function npmCommand() {
  const started = process.env.npm_execpath
  if (started && /npm-cli\.c?js$/.test(started)) return [process.execPath, started]
  const bundled = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  return existsSync(bundled) ? [process.execPath, bundled] : ['npm']
}

/** Without the settings that npm passes on: they name this checkout and would redirect the install. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_(local_)?prefix|package|lifecycle)/i.test(name),
  )
  return Object.fromEntries(kept)
}
