import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const HOOK = resolve(import.meta.dirname, '../.husky/commit-msg')

/** What git prints when somebody commits with this message; undefined if it commits. */
function refusalOf(message: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'commit-message-'))
  try {
    writeFileSync(join(folder, 'message'), message)
    const { status, stderr } = spawnSync('sh', ['-e', HOOK, join(folder, 'message')], { encoding: 'utf8' })
    return status === 0 ? undefined : stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.for([
  'x'.repeat(72),
  `Skip reads already stored for the minute\n\n${'y'.repeat(200)}\n`,
  `# ${'a comment of git '.repeat(9)}\n\nMerge the chapters that say how it works now\n`,
])('commits %#', (message) => {
  expect(refusalOf(message)).toBeUndefined()
})

test('refuses a subject that lists cut off, and says how long it is', () => {
  expect(refusalOf(`${'x'.repeat(73)}\n\nWhy.\n`)).toContain('has 73 characters')
})

test.for(["Merge branch 'land3'", "Merge remote-tracking branch 'origin/main'", "Merge commit '1234567'"])(
  'refuses %s, which says nothing',
  (subject) => {
    expect(refusalOf(`${subject}\n`)).toContain('does not say what it brings')
  },
)
