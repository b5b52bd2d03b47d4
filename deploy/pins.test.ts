import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '..', path), 'utf8')

test('the image is built on the Node of .node-version', () => {
  expect(read('deploy/Dockerfile')).toContain(`ARG NODE_VERSION=${read('.node-version').trim()}\n`)
})
