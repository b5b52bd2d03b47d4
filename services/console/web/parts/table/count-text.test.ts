import { expect, test } from 'vitest'
import { countText } from './count-text.ts'

test.for([
  { text: countText(0, 'rows'), expected: '0 rows' },
  { text: countText(1, 'rows'), expected: '1 row' },
  { text: countText(2, 'rows'), expected: '2 rows' },
  { text: countText(1, 'API keys'), expected: '1 API key' },
  { text: countText(1, 'history entries', 'history entry'), expected: '1 history entry' },
  { text: countText(2, 'history entries', 'history entry'), expected: '2 history entries' },
  { text: countText(1, 'in'), expected: '1 in' },
  { text: countText(1204, 'rows'), expected: `${new Intl.NumberFormat().format(1204)} rows` },
])('$expected', ({ text, expected }) => expect(text).toBe(expected))
