import { unzipped } from '@whereabouts/testing/unzipped'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { archive, type Entry } from './archive.ts'

const AT = new Date('2026-11-21T10:00:00Z')

async function* parts(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}
const entries = (...given: Entry[]) => Readable.from(given) as AsyncIterable<Entry>

test('has its files in order, empty ones too', async () => {
  const zip = archive(
    entries(
      { name: 'b.ndjson', content: parts('1\n', '2\n') },
      { name: 'empty.ndjson', content: parts() },
      { name: 'a/ä.txt', content: parts('ü') },
    ),
    AT,
  )
  expect([...(await unzipped(await buffer(zip)))]).toEqual([
    ['b.ndjson', '1\n2\n'],
    ['empty.ndjson', ''],
    ['a/ä.txt', 'ü'],
  ])
})

test.for([1, 2, 3])(
  'a file that fails is a failure of the stream, and what came before is not a ZIP (%i)',
  async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'x'
      throw new Error('the service is gone')
    }
    const zip = archive(entries({ name: 'a', content: parts('1') }, { name: 'b', content: failing() }), AT)
    const chunks: Buffer[] = []
    zip.on('data', (chunk: Buffer) => chunks.push(chunk))
    await expect(
      new Promise((resolve, reject) => zip.on('end', resolve).on('error', reject)),
    ).rejects.toThrow('the service is gone')
    await expect(unzipped(Buffer.concat(chunks))).rejects.toThrow()
  },
)

test.for([1, 2, 3])('its end ends the file that is read, and begins no other (%i)', async () => {
  const ended = Promise.withResolvers<void>()
  let begun = 0
  async function* endless(): AsyncGenerator<string> {
    begun += 1
    try {
      for (;;) yield randomBytes(1_000).toString('hex')
    } finally {
      ended.resolve()
    }
  }
  const zip = archive(entries({ name: 'a', content: endless() }, { name: 'b', content: endless() }), AT)
  zip.on('data', () => {
    if (begun > 0) zip.destroy()
  })
  await ended.promise
  expect(begun).toBe(1)
})

test('10 MB of rows wait for a reader that is slow', async () => {
  const line = () => randomBytes(25_000).toString('hex')
  let sent = 0
  async function* rows(): AsyncGenerator<string> {
    for (; sent < 200; sent += 1) yield line()
  }
  const zip = archive(entries({ name: 'rows', content: rows() }), AT)
  let received = 0
  let farthest = 0
  // A hex text takes half as many bytes in the archive; what is ahead of the reader waits somewhere in memory.
  for await (const chunk of zip as AsyncIterable<Buffer>) {
    received += chunk.length
    farthest = Math.max(farthest, sent * 50_000 - 2 * received)
  }
  expect(sent).toBe(200)
  expect(farthest).toBeLessThan(2_000_000)
})
