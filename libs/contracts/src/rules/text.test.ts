import { expect, test } from 'vitest'
import { searchParameter } from './query.ts'
import { Name, NamePatch, text } from './text.ts'

const DISPLAY_CONTROLS = ['\u202a', '\u202e', '\u2066', '\u2069', '\u2028', '\u2029']

test.for(DISPLAY_CONTROLS)(
  'S11 j a name with %j is refused, but a stored one may be sent back',
  (control) => {
    const name = `Pump${control}7`
    expect(Name.safeParse(name).error?.issues).toMatchObject([{ params: { code: 'invalid_value' } }])
    expect(NamePatch.safeParse(name).success).toBe(true)
  },
)

test.for(['Насос 7', 'مضخة ٧', 'Pump\u200d7', '\u200fمضخة', '泵 📦'])('%s is a valid name', (name) => {
  expect(Name.parse(name)).toBe(name)
})

test('a text of a mebibyte is too long and gets no further checks', () => {
  const issues = text(1, 255).safeParse('\0'.repeat(1024 * 1024)).error?.issues
  expect(issues).toMatchObject([{ code: 'too_big', maximum: 255 }])
})

test.for(['\0', '\u001b', '\u007f', 'a\u0008b'])('D12.2 q with %j is refused', (q) => {
  expect(searchParameter.safeParse([q]).error?.issues).toMatchObject([
    { params: { code: 'invalid_value', message: '{f} must not contain control characters' } },
  ])
})

test.for(['', 'a\tb', 'two\r\nlines', '%_\\', '\u0080', '📦'])('D12.2 q may be %j', (q) => {
  expect(searchParameter.parse([q])).toBe(q)
})
