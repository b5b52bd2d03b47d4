import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test as base } from 'vitest'
import { findPromtool } from '../workshop/downloads/promtool.ts'
import { ROOT } from '../installation/services.ts'

const run = promisify(execFile)

export type Promtool = {
  /** Resolves with the output of promtool; rejects with it on failure. */
  check(args: readonly string[]): Promise<string>
  /** Writes a file for promtool and returns its path. */
  write(name: string, content: unknown): string
}

export const test = base.extend<{ promtool: Promtool }>({
  promtool: [
    async ({}, use) => {
      const program = await findPromtool({ cacheDir: join(ROOT, '.cache/promtool') })
      const folder = mkdtempSync(join(tmpdir(), 'promtool-'))
      await use({
        async check(args) {
          const { stdout } = await run(program, args).catch((error: { stdout: string; stderr: string }) => {
            throw new Error(`${error.stdout}${error.stderr}`)
          })
          return stdout
        },
        write(name, content) {
          const file = join(folder, name)
          writeFileSync(file, JSON.stringify(content)) // JSON is YAML
          return file
        },
      })
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'file' },
  ],
})
