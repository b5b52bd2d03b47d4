import { describe, expect, test } from 'vitest'
import { listFixtures, readFixture } from '../../test/formats/format-testing.ts'
import { MALFORMED, readFrames } from './framing.ts'

const frames = (text: string) => readFrames(Buffer.from(text))

// All formats, because the framing is the same for all.
test.for(listFixtures())('$file has $frames frames', (fixture) => {
  const { frames: count, errors } = fixture
  const found = readFrames(readFixture(fixture))
  expect(found).toHaveLength(count)
  const broken = errors.filter(({ code }) => code === 'malformed_json').map(({ frame }) => frame)
  expect(found.flatMap((frame, index) => (frame === MALFORMED ? [index] : []))).toEqual(broken)
})

test.for([
  { name: 'an empty body has no frame', body: '', want: [] },
  { name: 'keep-alive lines are not frames', body: '\r\n \t\n\r', want: [] },
  { name: 'an empty list is a frame', body: '[]', want: [[]] },
  { name: 'a pretty-printed body is one frame', body: '{\n  "a": 1\n}\n', want: [{ a: 1 }] },
  { name: 'lines end at CR LF, LF CR, CR or LF', body: '1\r\n2\n\r3\r4\n', want: [1, 2, 3, 4] },
  {
    name: 'glued objects are separate frames',
    body: '{"a":1}{"b":2} [3]"x"null',
    want: [{ a: 1 }, { b: 2 }, [3], 'x', null],
  },
  {
    name: 'braces and escaped quotes inside strings do not separate frames',
    body: '{"a":"}{\\"}{"}{}',
    want: [{ a: '}{"}{' }, {}],
  },
  {
    name: 'a broken value ends only its own line',
    body: '{"a":1}{x}{"b":2}\n{"c":3}',
    want: [{ a: 1 }, MALFORMED, { c: 3 }],
  },
  { name: 'a comma between values is a broken value', body: '{"a":1},{"b":2}', want: [{ a: 1 }, MALFORMED] },
  { name: 'brackets of the wrong kind are broken', body: '{]\n{}', want: [MALFORMED, {}] },
  { name: 'a closing bracket without an opening one is broken', body: '}\n{}', want: [MALFORMED, {}] },
  {
    name: 'a text of many lines is one frame',
    body: 'status=ok\nuptime=77\n',
    want: [MALFORMED],
  },
  { name: 'a byte order mark is skipped', body: '\ufeff{"a":1}', want: [{ a: 1 }] },
  { name: 'a number that is too large is still a value', body: '1e999 2', want: [Infinity, 2] },
])('$name', ({ body, want }) => expect(frames(body)).toEqual(want))

test('bytes that are not UTF-8 become replacement characters inside their string', () => {
  const bytes = Buffer.concat([Buffer.from('{"name":"Tag'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')])
  expect(readFrames(bytes)).toEqual([{ name: 'Tag\ufffd\ufffd' }])
})

test('a view into a larger buffer is read within its bounds', () => {
  const larger = Buffer.from('xx{"a":1}yy')
  expect(readFrames(new Uint8Array(larger.buffer, larger.byteOffset + 2, 7))).toEqual([{ a: 1 }])
})

const fill = (piece: string) => piece.repeat(Math.floor((256 * 1024) / piece.length))

describe('hostile bodies of 256 KiB take milliseconds, not seconds', () => {
  const bodies = [
    '{',
    '[',
    '"',
    '\\"',
    '{"a":',
    '{x}\n',
    '{\n',
    '{}',
    '{"a":"',
    '1 ',
    '1e999',
    '[]{',
    '\r\n ',
    '}{',
    '-',
  ]
  const nested = '['.repeat(128 * 1024) + ']'.repeat(128 * 1024)
  const glued = `{}${nested}`

  test.for([...bodies.map(fill), nested, glued])('%#', (body) => {
    const before = process.threadCpuUsage()
    frames(body)
    const { user, system } = process.threadCpuUsage(before)
    // Quadratic reading takes tens of seconds of the processor here; linear reading takes 5 to 60 ms.
    expect((user + system) / 1000).toBeLessThan(1500)
  })

  test('after a thousand broken frames, the rest belongs to the last one', () => {
    expect(frames(`{}\n${fill('{x}\n')}`)).toHaveLength(1001)
  })
})
