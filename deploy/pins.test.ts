import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BROKER_RELEASE } from '@whereabouts/messaging/connect/broker-version'
import { expect, test } from 'vitest'
import { FILES_WITH_IMAGES, imageOf, readImages, referenceOf, unpinned, withPins } from './images.ts'
import { DEBIAN_PACKAGES } from './workshop/downloads/nats-binary.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')
const find = (...patterns: string[]) => globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] })

/** Built from this repository. */
const OWN = /^(REGISTRY\/|registry\.example\/)?whereabouts\b/

const NODE = read('.node-version').trim()
const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string }

test('the image is built on the Node of .node-version', () => {
  expect(imageOf('node').image).toBe(`node:${NODE}-trixie-slim`)
})

test('pnpm and Node have a hash for Linux on both architectures', () => {
  const lock = JSON.parse(read('deploy/workshop/launch/tools-lock.json')) as Record<string, string>
  const pnpm = packageManager.split('@')[1]
  const wanted = ['x64', 'arm64'].flatMap((arch) => [
    `@pnpm/exe.linux-${arch}@${pnpm}`,
    `node-linux-${arch}@${NODE}`,
  ])
  expect(Object.keys(lock).toSorted()).toEqual([...wanted, `pnpm@${pnpm}`].toSorted())
  expect(Object.values(lock).filter((hash) => !/^sha512-[\w+/]{86}==$/.test(hash))).toEqual([])
})

test('the broker image and every pinned package of it are of one release', () => {
  expect(imageOf('nats').image).toBe(`nats:${BROKER_RELEASE}-alpine`)
  for (const name of Object.keys(DEBIAN_PACKAGES)) expect(name).toContain(`nats-server_${BROKER_RELEASE}-`)
})

test('no document or manifest names another release of the broker', () => {
  const files = find(
    '*.{md,yml}',
    'docs/{,readers/}*.md',
    'deploy/**/*.{md,yaml}',
    'k8s/**/*.{md,yaml}',
    '{libs,services}/*/README.md',
  )
  expect(files.length).toBeGreaterThan(40)
  const named = files.flatMap((file) =>
    Array.from(read(file).matchAll(/\bnats(?:-server)?[ :]v?(\d+\.\d+[\d.]*)/g), ([, version]) => ({
      file,
      version: version?.replace(/\.$/, ''),
    })),
  )
  expect(named.filter(({ version }) => version !== BROKER_RELEASE)).toEqual([])
})

test('every third-party image is in deploy/images.json, with its digest', () => {
  const known = new Set(readImages().map(referenceOf))
  const files = find('*.yml', 'deploy/**/{*.yaml,*.yml,Dockerfile}', 'k8s/**/*.yaml')
  const foreign = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/^(?:\s*(?:- )?image: |FROM |ARG \w+_IMAGE=|# syntax=)(\S+)/gm),
      ([, image = '']) => ({
        file,
        image,
      }),
    ).filter(
      ({ image }) => !OWN.test(image) && image !== '${NODE_IMAGE}' && !/^(base|packages)$/.test(image),
    ),
  )
  expect(Array.from(new Set(foreign.map(({ file }) => file))).toSorted()).toEqual(
    FILES_WITH_IMAGES.toSorted(),
  )
  expect(foreign.filter(({ image }) => !known.has(image))).toEqual([])
})

test('a release names each image without a digest, and how to get it', () => {
  const digest = `sha256:${'a'.repeat(64)}` as const
  const images = [
    { image: 'tool:2.0', digest },
    { image: 'other:1.0', digest: null },
  ]
  expect(unpinned(images)).toEqual([
    expect.stringMatching(
      /^other:1\.0 has no digest in deploy\/images\.json: run `node deploy\/pin-images\.ts`/,
    ),
  ])
})

test('new digests replace the old ones of the same image only', () => {
  const digest = `sha256:${'a'.repeat(64)}` as const
  const images = [{ image: 'tool:2.0', digest }]
  const text = 'image: tool:1.0\nFROM tool:1.0@sha256:' + 'b'.repeat(64) + ' AS x\nimage: other/tool:1.0\n'
  expect(withPins(text, images)).toBe(
    `image: tool:2.0@${digest}\nFROM tool:2.0@${digest} AS x\nimage: other/tool:1.0\n`,
  )
})
