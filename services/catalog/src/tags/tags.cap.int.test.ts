import { MAX_TAGS } from '@whereabouts/contracts/resources/catalog/tags'
import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })
const numbered = (count: number) => Array.from({ length: count }, (_, i) => rfid(`T${i}`))

test.for(['asset', 'location'] as const)(
  'simultaneous attaches on two replicas do not exceed the limit of tags of an %s',
  async (kind, { catalog, replica }) => {
    const { id } = await catalog[kind]({ tags: numbered(MAX_TAGS - 3) })
    await catalog.takeOutbox()
    const path = `/${kind}s/${id}`
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? catalog : replica).post(`${path}/tags`, rfid(`more-${i}`)),
      ),
    )
    const refused = responses.filter((res) => res.statusCode !== 201)
    expect(refused).toHaveLength(9)
    for (const res of refused)
      expect(res.json().error).toMatchObject({
        type: 'conflict',
        detail: `a resource can have at most ${MAX_TAGS} tags`,
      })
    const { data } = (await catalog.get(path)).json()
    expect(data.tags).toHaveLength(MAX_TAGS)
    expect(await catalog.takeOutbox()).toHaveLength(3)
    expect((await catalog.patch(path, data)).statusCode).toBe(200)
  },
)

test('at the limit, a tag that it already has still exists, and a removed tag makes room', async ({
  catalog,
}) => {
  const { id, tags } = await catalog.asset({ tags: numbered(MAX_TAGS) })
  const attach = async (value: string) => catalog.post(`/assets/${id}/tags`, rfid(value))
  expect((await attach('T7')).json().error.detail).toBe('tag rfid:T7 already exists')
  expect((await attach('new')).statusCode).toBe(409)
  await catalog.delete(`/assets/${id}/tags/${tags[0]?.id}`)
  expect((await attach('new')).statusCode).toBe(201)
  expect((await attach('newer')).statusCode).toBe(409)
})
