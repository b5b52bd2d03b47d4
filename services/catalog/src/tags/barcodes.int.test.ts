import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LookupRow } from '@whereabouts/contracts/resources/catalog/lookup'
import { describe, expect } from 'vitest'
import { test } from '../../test/imports.fixture.ts'
import type { Catalog } from '../../test/catalog.fixture.ts'

const barcode = (value: string) => ({ tag_type: 'barcode' as const, value })
const LABEL = '0109506000134352\u001D2112345'
const NFC = 'K\u00FChl-1'
const NFD = 'Ku\u0308hl-1'

const found = async (catalog: Catalog, query: Record<string, string>) => {
  const res = await catalog.get(`/assets?${new URLSearchParams(query).toString()}`)
  expect(res.statusCode, res.body).toBe(200)
  return res.json<{ data: AssetView[] }>().data.map(({ name }) => name)
}
const named = async (catalog: Catalog, value: string) => {
  const [row] = (await catalog.post('/lookup', { values: [value] })).json<{ data: LookupRow[] }>().data
  return row?.matches.map(({ name }) => name)
}

describe('D19.1 space, tab, CR and LF at the ends are no part of a barcode', () => {
  test('D19.1 when it is registered in any way, searched or looked up', async ({ catalog, imports }) => {
    const asset = await catalog.asset({ name: 'Box', tags: [barcode(' \t4006381333931\r\n')] })
    expect(asset.tags).toMatchObject([barcode('4006381333931')])
    expect(await catalog.tag(`/assets/${asset.id}`, barcode('B\r'))).toMatchObject(barcode('B'))
    const legacy = { type: 'barcode', value: 'C\n' }
    const sent = await catalog.post(`/assets/${asset.external_key}/tags`, legacy, { vocabulary: 'legacy' })
    expect(sent.json().data).toMatchObject({ type: 'barcode', value: 'C' })
    await imports.run('assets', 'external_key,name,barcode\nI-1,Imported," 12 | 34\t|12"')
    expect(await named(catalog, '12\r\n')).toEqual(['Imported'])
    for (const value of ['4006381333931', '4006381333931\r\n', ' 4006381333931 ']) {
      expect(await found(catalog, { tag: `barcode:${value}` })).toEqual(['Box'])
      expect(await found(catalog, { q: value })).toEqual(['Box'])
      expect(await named(catalog, value)).toEqual(['Box'])
    }
  })

  test('D19.1 D19.6 one of nothing else is too short, also in an import', async ({ catalog, imports }) => {
    const { id } = await catalog.asset()
    const res = await catalog.post(`/assets/${id}/tags`, barcode(' \r\n'))
    expect(res.json().error.fields).toMatchObject([{ field: 'value', code: 'too_short' }])
    const { rows } = await imports.run('assets', 'name,barcode\nA,"1| "')
    expect(rows[0]?.errors).toMatchObject([{ field: 'barcode', code: 'too_short' }])
    expect(await named(catalog, ' ')).toEqual([])
  })

  test('D19.1 other tags keep them', async ({ catalog }) => {
    const { tags } = await catalog.asset({ tags: [{ tag_type: 'ble', value: ' AB ' }] })
    expect(tags).toMatchObject([{ value: ' AB ' }])
  })
})

describe('D19.1 separators of 2D labels', () => {
  test('D19.1 D19.6 are kept in barcodes, and found by character and by symbol', async ({
    catalog,
    imports,
  }) => {
    const all = 'a\u001Cb\u001Dc\u001Ed\u001Fe\u0004'
    const { tags } = await catalog.asset({ name: 'Label', tags: [barcode(LABEL), barcode(all)] })
    expect(tags.map(({ value }) => value)).toEqual([LABEL, all])
    for (const value of [LABEL, LABEL.replace('\u001D', '␝'), all, 'a␜b␝c␞d␟e␄']) {
      expect(await found(catalog, { tag: `barcode:${value}` })).toEqual(['Label'])
      expect(await found(catalog, { q: value.slice(0, -1) })).toEqual(['Label'])
      expect(await named(catalog, value)).toEqual(['Label'])
    }
    await imports.run('assets', 'external_key,name,barcode\nI-1,Imported,x␝y')
    expect(await found(catalog, { tag: 'barcode:x\u001Dy' })).toEqual(['Imported'])
  })

  test('D19.1 are refused in other tags, and other control characters in all', async ({ catalog }) => {
    const { id } = await catalog.asset()
    const codes = async (tag_type: string, value: string) =>
      (await catalog.post(`/assets/${id}/tags`, { tag_type, value })).json().error?.fields
    const refused = [
      { field: 'value', code: 'invalid_value', message: 'value must not contain control characters' },
    ]
    for (const type of ['rfid', 'ble']) expect(await codes(type, 'a\u001Db')).toEqual(refused)
    for (const control of ['\u0001', '\u001B', '\u007F'])
      expect(await codes('barcode', `a${control}b`)).toEqual(refused)
  })

  test('D19.1 the separator of name and key is never found', async ({ catalog }) => {
    await catalog.asset({ name: 'one', external_key: 'TWO' })
    for (const q of ['e\u001Ft', 'e␟t']) expect(await found(catalog, { q })).toEqual([])
  })
})

describe('D19.2 two Unicode spellings of a barcode', () => {
  test('D19.2 are one value: the second conflicts, each is found, views show what was sent', async ({
    catalog,
    imports,
  }) => {
    const asset = await catalog.asset({ name: 'Cold', external_key: 'COLD', tags: [barcode(NFD)] })
    expect(asset.tags).toMatchObject([barcode(NFD)])
    const other = await catalog.location({ name: 'Other' })
    for (const value of [NFC, NFD, ` ${NFC}`])
      expect((await catalog.post(`/locations/${other.id}/tags`, barcode(value))).json().error).toMatchObject({
        type: 'conflict',
        conflict: { resource: 'asset', id: asset.id },
      })
    expect(
      (await catalog.post('/assets', { name: 'Two', tags: [barcode('é'), barcode('e\u0301')] })).statusCode,
    ).toBe(409)
    const { rows } = await imports.run(
      'assets',
      `external_key,name,barcode\nCOLD,Cold,${NFC}\nNEW,New,${NFC}`,
    )
    expect(rows.map(({ outcome }) => outcome)).toEqual(['unchanged', 'failed'])
    const body = { name: 'Cold', identifiers: [{ type: 'barcode', value: NFC }] }
    expect((await catalog.call('PUT', '/assets/COLD', body, { vocabulary: 'legacy' })).statusCode).toBe(200)
    expect((await catalog.get(`/assets/${asset.id}`)).json().data.tags).toEqual(asset.tags)
    for (const value of [NFC, NFD]) {
      expect(await found(catalog, { tag: `barcode:${value}` })).toEqual(['Cold'])
      expect(await named(catalog, value)).toEqual(['Cold'])
    }
    expect(await found(catalog, { tag: `barcode:${NFC.toUpperCase()}` })).toEqual([])
  })

  test('D19.2 of simultaneous attachments on two replicas one succeeds', async ({ catalog, replica }) => {
    for (const round of [1, 2, 3]) {
      const owners = [await catalog.asset(), await catalog.asset()]
      const replies = await Promise.all(
        owners.map(({ id }, i) =>
          [catalog, replica][i]!.post(`/assets/${id}/tags`, barcode(`${i === 0 ? NFC : NFD}-${round}`)),
        ),
      )
      expect(replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])
    }
  })

  test('D19.2 a restore does not take a barcode that another has in another spelling', async ({
    catalog,
  }) => {
    const gone = await catalog.asset({ external_key: 'GONE', tags: [barcode(NFD)] })
    await catalog.delete(`/assets/${gone.id}`)
    const holder = await catalog.asset({ tags: [barcode(NFC)] })
    const restored = (await catalog.post(`/assets/${gone.id}/restore`, {})).json()
    expect(restored.data.tags).toEqual([])
    expect(restored.tags_not_restored).toMatchObject([{ value: NFD, held_by: { id: holder.id } }])
  })
})
