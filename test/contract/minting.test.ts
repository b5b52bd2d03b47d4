import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { kinds, resourcesOf } from './support/resources.ts'

/** The form of a minted key: its prefix and minimum number of digits. */
const MINTED = { asset: { prefix: 'ASSET-', digits: 4 }, location: { prefix: 'LOC-', digits: 3 } }

describe('D4.4 D5.2 minted keys', () => {
  test.for(kinds)(
    'a %s without a key gets one more than the highest live number',
    async (kind, { api, newOrg }) => {
      const { make, remove } = resourcesOf(api, (await newOrg()).admin, kind)
      const { prefix, digits } = MINTED[kind]
      const key = (n: number) => prefix + String(n).padStart(digits, '0')
      const made = [await make(), await make(), await make()]
      expect(made.map(({ external_key }) => external_key)).toEqual([key(1), key(2), key(3)])
      await remove(made[1]?.id ?? 0)
      expect(await make(), 'a gap is not filled').toMatchObject({ external_key: key(4) })
      await remove(made[2]?.id ?? 0)
      const { id } = await make()
      await remove(id)
      expect(await make(), 'a deleted highest number is used again').toMatchObject({ external_key: key(5) })
    },
  )

  test.for(kinds)(
    'keys of %ss that users chose count too, with any number of digits',
    async (kind, { api, newOrg }) => {
      const { make, remove } = resourcesOf(api, (await newOrg()).admin, kind)
      const { prefix, digits } = MINTED[kind]
      const nines = '9'.repeat(digits)
      const { id } = await make({ external_key: prefix + nines })
      expect(await make()).toMatchObject({ external_key: `${prefix}1${'0'.repeat(digits)}` })
      await make({ external_key: `${prefix}0000123456` })
      expect(await make()).toMatchObject({ external_key: `${prefix}123457` })
      await make({ external_key: `${prefix}90071992547409930` })
      expect(await make(), 'beyond 2^53').toMatchObject({ external_key: `${prefix}90071992547409931` })
      await remove(id)
      expect(await make()).toMatchObject({ external_key: `${prefix}90071992547409932` })
    },
  )

  test.for(kinds)(
    'keys of %ss that only resemble minted ones do not count',
    async (kind, { api, newOrg }) => {
      const { make } = resourcesOf(api, (await newOrg()).admin, kind)
      const { prefix, digits } = MINTED[kind]
      for (const external_key of [
        `${prefix}7A`,
        `X${prefix}8`,
        prefix.toLowerCase() + '9',
        `${prefix}-9`,
        prefix,
      ])
        await make({ external_key })
      expect(await make()).toMatchObject({ external_key: prefix + '1'.padStart(digits, '0') })
    },
  )

  test('assets and locations are counted separately, and so are organizations', async ({ api, newOrg }) => {
    const [one, other] = [(await newOrg()).admin, (await newOrg()).admin]
    await resourcesOf(api, one, 'asset').make({ external_key: 'ASSET-0500' })
    await resourcesOf(api, one, 'asset').make({ external_key: 'LOC-500' })
    await resourcesOf(api, one, 'location').make({ external_key: 'ASSET-0900' })
    expect(await resourcesOf(api, one, 'asset').make()).toMatchObject({ external_key: 'ASSET-0501' })
    expect(await resourcesOf(api, one, 'location').make()).toMatchObject({ external_key: 'LOC-001' })
    expect(await resourcesOf(api, other, 'asset').make()).toMatchObject({ external_key: 'ASSET-0001' })
  })

  test.for(kinds)(
    'a rename of a %s into or out of the minted form counts like a create',
    async (kind, { api, newOrg }) => {
      const { make, rename } = resourcesOf(api, (await newOrg()).admin, kind)
      const { prefix, digits } = MINTED[kind]
      const { id } = await make({ external_key: 'MINE' })
      await rename(id, `${prefix}70`)
      expect(await make()).toMatchObject({ external_key: prefix + '71'.padStart(digits, '0') })
      await rename(id, 'MINE-AGAIN')
      expect(await make()).toMatchObject({ external_key: prefix + '72'.padStart(digits, '0') })
    },
  )

  test.for(kinds)(
    '%ss created simultaneously without a key get consecutive, distinct ones',
    async (kind, { api, newOrg }) => {
      const { make } = resourcesOf(api, (await newOrg()).admin, kind)
      const { prefix, digits } = MINTED[kind]
      const made = await Promise.all(Array.from({ length: 12 }, () => make()))
      const keys = Array.from({ length: 12 }, (_, i) => prefix + String(i + 1).padStart(digits, '0'))
      expect(made.map(({ external_key }) => external_key).toSorted()).toEqual(keys)
    },
  )
})
