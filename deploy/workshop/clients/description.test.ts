import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { legacyDescription, publicDescription } from '@whereabouts/contracts/description/openapi'
import { expect, test } from 'vitest'

const LINTER = join(import.meta.dirname, 'node_modules/@redocly/cli/bin/cli.js')
const CONFIG = join(import.meta.dirname, 'redocly.yaml')
/** Off: its check for updates and its telemetry. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

test.for([
  ['current', publicDescription()],
  ['legacy', legacyDescription()],
] as const)('the linter accepts the description of the %s vocabulary', ([, description]) => {
  const folder = mkdtempSync(join(tmpdir(), 'description-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(description))
    const args = [LINTER, 'lint', file, `--config=${CONFIG}`, '--format=stylish']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, ...QUIET },
    })
    expect(`${stdout}${stderr}`).not.toMatch(/\b(?:error|warning)\b/)
    expect(status, stderr).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
