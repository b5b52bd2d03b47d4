import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { scene } from '../../../test/reports/scene.fixture.ts'
import { test } from '../../../test/tracking.fixture.ts'
import { explainReport, type ExplainRequest } from './explain.ts'

describe('pnpm explain', () => {
  test('prints the statements of a request with their values, and their plans', async ({ tracking }) => {
    const { dock } = await scene(tracking)
    const explain = (report: ExplainRequest['report'], query: string) =>
      explainReport(tracking.url, { report, orgId: 1, query, isAnalyzed: false })
    const page = await explain('asset-locations', 'sort=asset_external_key&limit=2')
    expect(page).toContain('as asset_last_seen')
    expect(page).toContain('Index Only Scan using asset_listed_key')
    expect(page).toContain('$1 = 1')
    expect(page).not.toContain('actual time')
    const filtered = await explain('asset-locations', `location_external_key=${dock.external_key}&q=x`)
    expect(filtered).toContain(`[${dock.id}]`)
    expect(await explain('asset-locations', 'at=2026-01-02T00:00:00.000Z')).toContain('from scan s')
    expect(await explain('current-locations', '')).toContain('position_seen_place')
    expect(await explain('occupancy', `location_id=${dock.id}`)).toContain('asset_place_location')
    expect(await explain('movement-summary', '')).toContain('from movement moved')
    await expect(explain('asset-locations', 'limit=0')).rejects.toMatchObject({ status: 400 })
  })

  test('--analyze runs each statement', async ({ tracking }) => {
    const request = { report: 'asset-locations', orgId: 1, query: '', isAnalyzed: true } as const
    expect(await explainReport(tracking.url, request)).toMatch(/actual time=.* rows=/)
  })

  test('names the error in its arguments', async ({ tracking }) => {
    const run = (...args: string[]) => {
      const program = fileURLToPath(new URL('main.ts', import.meta.url))
      const env = { PATH: process.env['PATH'], DATABASE_URL: tracking.url }
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        env,
        encoding: 'utf8',
      })
      return [status, stdout, stderr] as const
    }
    expect(run('--help')).toEqual([0, expect.stringContaining('pnpm explain REPORT --org ID'), ''])
    expect(run('asset-locations', '--org', '1')).toEqual([
      0,
      expect.stringContaining('as asset_last_seen'),
      '',
    ])
    expect(run('asset-locations')).toEqual([2, '', expect.stringContaining('--org must be the id')])
    expect(run('nothing', '--org', '1')).toEqual([2, '', expect.stringContaining('name one report')])
    expect(run('occupancy', '--org', '1', '--no')).toEqual([2, '', expect.stringContaining('--no')])
    expect(run('asset-locations', '--org', '1', 'limit=x')).toEqual([1, '', expect.stringContaining('limit')])
  })
})
