import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '..', path), 'utf8')

test('the image is built on the Node of .node-version', () => {
  expect(read('deploy/Dockerfile')).toContain(`ARG NODE_VERSION=${read('.node-version').trim()}\n`)
})

test('docker-compose.yml holds no secret and asks for every one that make-env writes', () => {
  const compose = read('docker-compose.yml')
  const written = read('deploy/compose/make-env.ts').matchAll(/^ {4}([A-Z_]+): /gm)
  const names = Array.from(written, ([, name]) => name!)
  expect(names).toHaveLength(17)
  expect(names.filter((name) => !compose.includes(`\${${name}:?`))).toEqual([])
})
