import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

type Block = { language: string; label: string; text: string }

/** In the order in which a reader follows them: later pages use variables of the first. */
const PAGES = ['quick-start', 'integrating', 'webhooks']

/** The fenced blocks of the guide for integrators, in order. */
export function guideBlocks(): Block[] {
  const pages = PAGES.map((page) => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8'))
  const guide = pages.join('\n')
  const fences = guide.matchAll(/^```(\w*) ?(.*)\n([^]*?)^```$/gm)
  return [...fences].map(([, language = '', label = '', body = '']) => ({ language, label, text: body }))
}

/** The one block of that language that contains `text`. */
export function guideBlock(language: string, part: string): string {
  const [found, ...others] = guideBlocks().filter((b) => b.language === language && b.text.includes(part))
  if (!found || others.length > 0) throw new Error(`not exactly one ${language} block with "${part}"`)
  return found.text
}

/**
 * Whether this machine has a program. CI must have it. Elsewhere, a test that needs it is skipped, because `npm test`
 * needs only Node.
 */
export function hasProgram(name: string): boolean {
  const found = spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0
  if (!found && process.env['CI']) throw new Error(`${name} is needed to test the documentation`)
  return found
}

/** Runs a program on `input` and returns its output. Throws its error output. */
export async function runOn(input: string, command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: 'pipe' })
  child.stdin.on('error', () => undefined) // it may have ended without reading
  child.stdin.end(input)
  const exit = new Promise((resolve) => child.on('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}:\n${stderr}`)
  return stdout
}
