import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { scene } from '../../../test/reports/scene.fixture.ts'
import { test } from '../../../test/tracking.fixture.ts'
import { pageStrategies } from '../asset-locations/choose-strategy.rules.ts'
import { explainReport, type ReportName } from './explain.ts'

describe('pnpm explain', () => {
  test('prints the strategy of a request, its statements with their values, and their plans', async ({
    tracking,
  }) => {
    const { dock } = await scene(tracking)
    const explain = (report: ReportName, query: string) =>
      explainReport(tracking.url, { report, orgId: 1, query, isAnalyzed: false })
    const page = await explain('asset-locations', 'sort=asset_external_key&limit=2')
    expect(page).toMatch(/^strategy: by_asset_key\n/)
    expect(page).toContain('as asset_last_seen')
    expect(page).toContain('Index Only Scan using asset_listed_key')
    expect(page).toContain('$1 = 1')
    expect(page).not.toContain('actual time')
    const filtered = await explain('asset-locations', `location_external_key=${dock.external_key}&q=x`)
    expect(filtered).toMatch(/^strategy: empty\n/)
    expect(filtered).toContain(`[${dock.id}]`)
    expect(await explain('asset-locations', 'at=2026-01-02T00:00:00.000Z')).toMatch(/^strategy: at_instant\n/)
    expect(await explain('current-locations', '')).toMatch(/^strategy: by_last_seen\n/)
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
    expect(run('asset-locations', '--org', '1')).toEqual([0, expect.stringContaining('strategy: empty'), ''])
    expect(run('asset-locations')).toEqual([2, '', expect.stringContaining('--org must be the id')])
    expect(run('nothing', '--org', '1')).toEqual([2, '', expect.stringContaining('name one report')])
    expect(run('occupancy', '--org', '1', '--no')).toEqual([2, '', expect.stringContaining('--no')])
    expect(run('asset-locations', '--org', '1', 'limit=x')).toEqual([1, '', expect.stringContaining('limit')])
  })
})

test('each request counts its strategy and adds it to its log line', async ({ tracking }) => {
  await scene(tracking)
  const count = async (strategy: string) =>
    (await tracking.registry.getSingleMetric('report_strategy_total')!.get()).values.find(
      ({ labels }) => labels['strategy'] === strategy,
    )?.value
  for (const strategy of [...pageStrategies, 'at_instant']) expect(await count(strategy)).toBe(0)
  await tracking.call('GET', '/reports/asset-locations')
  await tracking.call('GET', '/reports/asset-locations?at=2026-11-20T00:00:00.000Z')
  await tracking.call('GET', '/locations/current?sort=asset')
  expect([await count('by_last_seen'), await count('at_instant'), await count('by_asset_key')]).toEqual([
    1, 1, 1,
  ])
})
