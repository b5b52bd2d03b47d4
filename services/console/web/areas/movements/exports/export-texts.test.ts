import { describe, expect, test } from 'vitest'
import { againOf, bodyOf, type Export, missingIn, NEW_DRAFT, progressText, sizeText } from './export-texts.ts'

const NOTHING = { from: undefined, to: undefined }
const NOW = Date.parse('2026-11-27T12:00:00Z')

describe('D22.3 what the form sends', () => {
  test('a span begins that many days ago; all that is kept has no times, as what is of now', () => {
    expect(bodyOf(NEW_DRAFT, NOW)).toEqual({
      dataset: 'history',
      format: 'csv',
      from: '2026-11-20T12:00:00.000Z',
    })
    expect(bodyOf({ ...NEW_DRAFT, span: 'all' }, NOW)).toEqual({ dataset: 'history', format: 'csv' })
    expect(bodyOf({ ...NEW_DRAFT, dataset: 'assets' }, NOW)).toEqual({ dataset: 'assets', format: 'csv' })
  })

  test('times of their own are both needed, because without one it would be all that is kept', () => {
    const own = { ...NEW_DRAFT, span: 'own', from: '2026-11-20T08:00', to: '2026-11-21T08:00' }
    expect(missingIn(own)).toEqual(NOTHING)
    expect(bodyOf(own, NOW)).toMatchObject({
      from: new Date('2026-11-20T08:00').toISOString(),
      to: new Date('2026-11-21T08:00').toISOString(),
    })
    expect(missingIn({ ...own, to: '' })).toEqual({ ...NOTHING, to: 'Enter a day and a time.' })
    expect(missingIn({ ...own, from: '', dataset: 'locations' })).toEqual(NOTHING)
    expect(missingIn({ ...own, from: '', span: '7' })).toEqual(NOTHING)
  })
})

const ONE: Export = {
  id: 1,
  dataset: 'movements',
  format: 'parquet',
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-21T00:00:00.000Z',
  status: 'running',
  progress: 0.508,
  rows: 1_440,
  bytes: 5_120,
  problem: null,
  created_at: '2026-11-27T12:00:00.000Z',
  finished_at: null,
  expires_at: null,
}

test('a failed export begins again with the same times', () => {
  const { dataset, format, from, to } = ONE
  expect(againOf(ONE)).toEqual({ dataset, format, from, to })
  expect(againOf({ ...ONE, dataset: 'assets', from: null, to: null })).toEqual({ dataset: 'assets', format })
})

test('the progress of an export, and sizes, as people say them', () => {
  expect(progressText(ONE)).toBe('Running 50 %: 1,440 rows, 5.1 kB')
  const finished_at = ONE.created_at
  expect(progressText({ ...ONE, status: 'done', finished_at })).toBe('Done: 1,440 rows, 5.1 kB')
  expect(progressText({ ...ONE, status: 'failed', finished_at })).toBe('Failed')
  expect([1, 999, 1_000, 2_500_000].map(sizeText)).toEqual(['1 byte', '999 bytes', '1 kB', '2.5 MB'])
})
