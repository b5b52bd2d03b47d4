import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unwrap } from '@whereabouts/client/client'
import type { Demo } from '@whereabouts/deploy/workshop/demo/demo-file'
import { seedDemo } from '@whereabouts/deploy/workshop/demo/seed'
import { ROOT } from '@whereabouts/deploy/installation/services'
import { expect, inject } from 'vitest'
import { signIn, test, type Visitor } from '../console/support/visitor.fixture.ts'
import { liveThroughAnHour } from './support/demo-hour.ts'

/** Of the README. */
const FOLDER = join(ROOT, 'docs/pictures')
const MAX_BYTES = 120 * 1024

test('the pictures of the README, of the demo after an hour', async ({ visitor }) => {
  const demo = await seeded()
  const integrator = await liveThroughAnHour(demo)
  const query = { external_key: ['FORKLIFT-01'] }
  const { data: found } = unwrap(await integrator.GET('/api/v1/assets', { params: { query } }))
  await signIn(visitor, demo.admin)
  const { page } = visitor
  await page.setViewportSize({ width: 1440, height: 900 })

  await visitor.open('/floor')
  await untilDrawn(visitor)
  await save(visitor, 'floor-live')

  await visitor.open('/movements')
  await page.getByRole('table').first().waitFor()
  await save(visitor, 'movements')

  await visitor.open(`/assets/${found[0]?.id}`)
  await page.getByRole('heading', { name: 'Why it is here' }).waitFor()
  await save(visitor, 'why-it-is-here')

  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await visitor.open('/floor?mode=movements')
  await page.getByText(/^Least/).waitFor()
  await untilDrawn(visitor)
  await save(visitor, 'floor-heat')
})

async function seeded(): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'))
  try {
    const { base, nats, mqtt, mail } = inject('console')
    return await seedDemo({ baseUrl: base, natsUrl: nats, mqttUrl: mqtt, mailUrl: mail, dataDir })
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

/** The image of the plan and the readers come last. */
async function untilDrawn({ page }: Visitor): Promise<void> {
  await page.locator('.floor-image').waitFor()
  await page.getByRole('list', { name: 'Readers' }).getByRole('link').first().waitFor()
}

/** Playwright itself writes no WebP, which is a third of a PNG here. */
async function save({ page, context, problems }: Visitor, name: string): Promise<void> {
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0)
  const browser = await context.newCDPSession(page)
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  const picture = Buffer.from(data, 'base64')
  expect(problems).toEqual([])
  expect(picture.length).toBeLessThanOrEqual(MAX_BYTES)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${name}.webp`), picture)
}
