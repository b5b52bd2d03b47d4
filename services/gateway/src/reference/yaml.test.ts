import { expect, test } from 'vitest'
import { toYaml } from './yaml.ts'

test('nesting is indented, and strings stay strings', () => {
  const document = {
    a: { no: 'no', list: [1, { x: null, y: [] }, ['deep']] },
    empty: {},
    text: 'line\n"two": 2026-11-21',
  }
  expect(toYaml(document)).toBe(`"a":
  "no": "no"
  "list":
    - 1
    -
      "x": null
      "y": []
    -
      - "deep"
"empty": {}
"text": "line\\n\\"two\\": 2026-11-21"
`)
})
