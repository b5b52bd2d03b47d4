import { expect, test } from 'vitest'
import { MOST_VIEWS, type SavedView, searchOf, viewsIn, withView } from './saved-views.ts'

const view = (name: string, search: SavedView['search'] = {}) => ({ name, search })

test('views are read as they were stored', () => {
  const views = [view('Forklifts', { q: 'FORK' }), view('Silent', { seen: '24h', sort: 'last_seen' })]
  expect(viewsIn(JSON.stringify(views))).toEqual(views)
})

test.each(['', '{', 'null', '{}', '[1, null, {"name": 1}, {"name": "A", "search": {"q": 1}}]'])(
  'what is no list of views, %j, is none',
  (text) => expect(viewsIn(text)).toEqual([]),
)

test('no more are read than the menu shows', () => {
  const views = Array.from({ length: MOST_VIEWS + 5 }, (_, i) => view(`View ${i}`))
  expect(viewsIn(JSON.stringify(views))).toHaveLength(MOST_VIEWS)
})

test('a view has all of the address but the page', () =>
  expect(searchOf({ q: 'FORK', offset: '50', active: true, type: undefined })).toEqual({
    q: 'FORK',
    active: 'true',
  }))

test('saving under a name that exists replaces that view, three times over', () => {
  let views = [view('A'), view('B'), view('C')]
  for (const q of ['1', '2', '3']) views = withView(views, view('B', { q }))
  expect(views).toEqual([view('A'), view('B', { q: '3' }), view('C')])
  expect(withView(views, view('D')).map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D'])
})
