import { expect, test } from 'vitest'
import { homeAfter, NO_HOME, type Home, type Homes, type SentHome } from './home.rules.ts'

const homes: Homes = { keys: new Map([[1, 'A'], [2, 'B']]), ids: new Map([['A', 1], ['B', 2]]) } // oxfmt-ignore
const home = (home_location_id: number | null, home_location_external_key: string | null): Home => ({
  home_location_id,
  home_location_external_key,
})
const at = home(1, 'A')
const deleted = home(9, null)

const DIFFER = ['home_location_id ambiguous_fields', 'home_location_external_key ambiguous_fields']
const [NO_ID, NO_KEY] = ['home_location_id fk_not_found', 'home_location_external_key fk_not_found']

test.for<[string, Home, SentHome, Home | string[]]>([
  ['nothing is sent', at, {}, at],
  ['an id', NO_HOME, { home_location_id: 2 }, home(2, 'B')],
  ['a key', at, { home_location_external_key: 'B' }, home(2, 'B')],
  ['both', at, home(2, 'B'), home(2, 'B')],
  ['both differ', NO_HOME, home(1, 'B'), DIFFER],
  ['a key that is not there goes first', NO_HOME, home(8, 'X'), [NO_KEY]],
  ['an id that is not there', NO_HOME, { home_location_id: 8 }, [NO_ID]],
  ['an id without a key', NO_HOME, home(2, null), DIFFER],
  ['a key without an id', NO_HOME, home(null, 'B'), DIFFER],
  ['null', at, { home_location_id: null }, NO_HOME],
  ['a null key', at, { home_location_external_key: null }, NO_HOME],
  ['nulls', at, NO_HOME, NO_HOME],
  ['the pair of a deleted home', deleted, deleted, deleted],
  ['the id of a deleted home', deleted, { home_location_id: 9 }, deleted],
  ['the shown null key of a deleted home', deleted, { home_location_external_key: null }, deleted],
  ['null after the home was deleted', deleted, { home_location_id: null }, NO_HOME],
  ['nulls after the home was deleted', deleted, NO_HOME, NO_HOME],
  ['another deleted home', deleted, home(8, null), DIFFER],
  ['another home after the first was deleted', deleted, { home_location_id: 2 }, home(2, 'B')],
])('D21.1 %s', ([, stored, sent, expected]) => {
  const found = homeAfter(stored, sent, homes)
  expect(Array.isArray(found) ? found.map(({ field, code }) => `${field} ${code}`) : found).toEqual(expected)
})
