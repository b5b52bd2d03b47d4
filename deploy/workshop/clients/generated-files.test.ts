import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from './generated-files.ts'

const files = (await generatedFiles()).map(({ path, content }) => [basename(path), path, content] as const)

test.for(files)('%s is what "pnpm generate" makes', async ([, path, content]) => {
  expect(await readFile(path, 'utf8')).toBe(content)
})
