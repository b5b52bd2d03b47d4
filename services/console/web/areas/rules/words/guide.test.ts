import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sentenceOf, type Statement } from './sentence.ts'

const GUIDE = readFileSync(new URL('../../../../../../docs/rules.md', import.meta.url), 'utf8')
/** Of the list of ids in the guide. */
const names = new Map(
  Array.from(GUIDE.matchAll(/`(\d{16})` ([\w ]+)/g), ([, id, name]) => [Number(id), name]),
)
const rules = GUIDE.matchAll(/^> (.+)\n[^]*?^```json\n([^]*?)^```$/gm)
const EMPTY = {
  asset_ids: [],
  asset_types: [],
  location_ids: [],
  include_descendants: true,
  metadata: {},
  reader_ids: [],
}

test('the guide has the sentence that the console says for each of its rules', () => {
  const pairs = Array.from(rules, ([, said, body = '']) => {
    const rule = JSON.parse(body) as Statement
    const full = { ...rule, params: rule.params ?? {}, for_seconds: rule.for_seconds ?? 0 }
    const schedule = rule.schedule ?? null
    const statement = { ...full, schedule, scope: { ...EMPTY, ...rule.scope } }
    return { said, console: sentenceOf(statement, (_, id) => names.get(id)) }
  })
  expect(pairs).toHaveLength(10)
  for (const { said, console } of pairs) expect(said).toBe(console)
})
