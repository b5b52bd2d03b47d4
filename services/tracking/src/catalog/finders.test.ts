import type { CatalogLookup, CatalogLookupReply } from '@whereabouts/contracts/messages/catalog-lookup'
import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { CatalogResolver, CatalogUnavailable } from './catalog-resolver.ts'
import { CatalogView } from './catalog-view.ts'
import { assetFinder } from './finders.ts'

/** A finder whose questions the test answers, in any order, with what catalog knows at that time. */
function asking() {
  const catalog = new CatalogStandIn()
  const view = new CatalogView()
  const questions: CatalogLookup[] = []
  const answers: (() => void)[] = []
  const failures: (() => void)[] = []
  const ask = async (question: CatalogLookup) => {
    questions.push(question)
    const { promise, resolve, reject } = Promise.withResolvers<CatalogLookupReply>()
    answers.push(() => resolve(catalog.ask(question)))
    failures.push(() => reject(new CatalogUnavailable('away')))
    return promise
  }
  const find = assetFinder({ view, ask, resolver: new CatalogResolver(view, ask) })
  const asked = (count: number) => expect.poll(() => questions.length).toBe(count)
  /** Four questions that stay open, so that the next ones are shared. */
  const occupy = async (orgId: number) => {
    const others = []
    for (let i = 1; i <= 4; i += 1) {
      others.push(find(orgId, catalog.asset(orgId, `Other ${i}`).id))
      await asked(i)
    }
    return others
  }
  return { catalog, view, find, questions, answers, failures, asked, occupy }
}

test('D8.9 finds that arrive while questions are out share the next one, which is asked after they began', async () => {
  const { catalog, find, questions, answers, asked, occupy } = asking()
  const others = await occupy(1)
  const [kept, deleted] = [catalog.asset(1, 'Kept'), catalog.asset(1, 'Deleted')]
  const finds = Promise.all([find(1, kept.id), find(1, deleted.id), find(1, kept.id)])
  catalog.change(deleted, { deleted_at: '2026-11-21T00:00:00.000Z' })
  answers[0]?.()
  await asked(5)
  answers[4]?.()
  expect(await finds).toMatchObject([{ id: kept.id }, undefined, { id: kept.id }])
  expect(questions[4]).toEqual({ org_id: 1, asset_ids: [kept.id, deleted.id] })
  for (const answer of answers) answer()
  await Promise.all(others)
})

test('an asset deleted after one answer is gone in the next', async () => {
  const { catalog, find, answers, asked } = asking()
  const asset = catalog.asset(1, 'Pallet')
  const before = find(1, asset.id)
  await asked(1)
  answers[0]?.()
  expect(await before).toMatchObject({ id: asset.id })
  catalog.change(asset, { deleted_at: '2026-11-21T00:00:00.000Z' })
  const after = find(1, asset.id)
  await asked(2)
  answers[1]?.()
  expect(await after).toBeUndefined()
})

test('when a question fails, the view decides for its own finds alone', async () => {
  const { catalog, view, find, answers, failures, asked } = asking()
  const [known, unknown] = [catalog.asset(1, 'Known'), catalog.asset(1, 'Unknown')]
  view.applyAsset(known)
  const failed = Promise.all([find(1, known.id), find(1, unknown.id)])
  await asked(1)
  const other = find(1, unknown.id)
  await asked(2)
  failures[0]?.()
  expect(await failed).toMatchObject([{ id: known.id }, undefined])
  answers[1]?.()
  expect(await other).toMatchObject({ id: unknown.id })
})

test('a question names assets of one organization, and no more than an answer has room for', async () => {
  const { catalog, find, questions, answers, asked, occupy } = asking()
  const others = await occupy(1)
  const ours = Array.from({ length: 30 }, (_, i) => catalog.asset(1, `Ours ${i}`))
  const theirs = catalog.asset(2, 'Theirs')
  const finds = ours.map((asset) => find(1, asset.id))
  const [foreign, own] = [find(2, ours[0]!.id), find(2, theirs.id)]
  await asked(5) // the questions of another organization do not hold it up
  answers[4]?.()
  expect(await Promise.all([foreign, own])).toMatchObject([undefined, { id: theirs.id }])
  for (let i = 0; i < 8; i += 1) {
    answers[i]?.()
    await asked(Math.min(8, 5 + i + 1))
  }
  expect(await Promise.all(finds)).toMatchObject(ours.map(({ id }) => ({ id })))
  expect(questions.slice(4)).toMatchObject([
    { org_id: 2, asset_ids: [ours[0]!.id, theirs.id] },
    { org_id: 1, asset_ids: ours.slice(0, 12).map(({ id }) => id) },
    { org_id: 1, asset_ids: ours.slice(12, 24).map(({ id }) => id) },
    { org_id: 1, asset_ids: ours.slice(24).map(({ id }) => id) },
  ])
  await Promise.all(others)
})
