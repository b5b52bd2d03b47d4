import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { VERSION } from '@whereabouts/client/version'
import { expect, test } from 'vitest'
import { packPythonClient } from './pack-python.ts'

test('the wheel has the version of the other client, what it needs and its files, and is the same each time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wheel-'))
  try {
    const path = await packPythonClient(folder)
    const wheel = readFileSync(path)
    expect(basename(path)).toBe(`whereabouts-${VERSION}-py3-none-any.whl`)
    for (const line of [
      'Requires-Python: >=3.9',
      'Requires-Dist: httpx>=0.24',
      'whereabouts/py.typed,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0',
    ])
      expect(wheel.includes(`\n${line}\n`), line).toBe(true)
    expect(readFileSync(await packPythonClient(folder)).equals(wheel)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
