import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exchangeKey, unwrap, type components } from '@whereabouts/client/client'
import { RulePreview } from '@whereabouts/contracts/resources/rules/rules'
import { expect } from 'vitest'
import {
  clientFromNewAddress,
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  type Organization,
} from '../system/organization.ts'
import { test } from './flow.fixture.ts'
import { hasProgram, runOn } from './guide.ts'

type RuleCreate = components['schemas']['RuleCreate']
type Example = { title: string; body: string; answer: unknown }

const GUIDE = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8')
const RULES: Example[] = Array.from(
  GUIDE.matchAll(/^### \d+\. (.+)\n[^]*?^```json\n([^]*?)^```$[^]*?^```json\n([^]*?)^```$/gm),
  ([, title = '', body = '', answer = '']) => ({ title, body, answer: JSON.parse(answer) as unknown }),
)
const COMMANDS = /^```sh\n([^]*?)^```$/m.exec(GUIDE)?.[1] ?? ''

/** Makes the locations, assets and the reader that the guide lists. Resolves with their ids by those of the guide. */
async function newThings(org: Organization): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const listed = (kind: string) =>
    Array.from(
      new RegExp(`^- ${kind}: (.+)$`, 'm').exec(GUIDE)?.[1]?.matchAll(/`(\d+)` ([\w ]+)/g) ?? [],
      ([, id = '', name = '']) => ({ id, name }),
    )
  for (const { id, name } of listed('locations'))
    ids.set(id, await newLocation(org, name, name.toUpperCase().replaceAll(' ', '-')))
  for (const { id, name } of listed('assets')) ids.set(id, (await newAsset(org, name, [])).id)
  const [locationId = 0] = ids.values()
  for (const { id, name } of listed('a reader'))
    ids.set(
      id,
      await newReader(org, { key: name.toLowerCase(), format: 'canonical', locationId, antennas: 1 }),
    )
  return ids
}

const withIds = (body: string, ids: ReadonlyMap<string, number>) =>
  body.replaceAll(/\d{16}/g, (id) => String(ids.get(id)))

test('D14.1 D14.4 every rule of the guide can be previewed and created, and its answers have the right form', async ({
  system,
}) => {
  const org = await newOrganization(system.stack, 'Rules')
  const ids = await newThings(org)
  expect(RULES).toHaveLength(10)
  for (const { title, body, answer } of RULES) {
    const rule = JSON.parse(withIds(body, ids)) as RuleCreate
    const preview = unwrap(await org.admin.POST('/api/v1/rules/preview', { body: { rule } })).data
    const shown = (answer as { data: unknown }).data
    expect(RulePreview.parse(shown), title).toEqual(shown)
    expect(RulePreview.parse(preview), title).toEqual(preview)
    expect(preview.past === null, title).toBe(RulePreview.parse(shown).past === null)
    expect(unwrap(await org.admin.POST('/api/v1/rules', { body: rule })).data).toMatchObject(rule)
  }
})

test.skipIf(!hasProgram('curl') || !hasProgram('bash'))(
  'D14.4 the commands of the guide preview a rule and create it (needs curl and bash)',
  async ({ system }) => {
    const org = await newOrganization(system.stack, 'Rules')
    const key = await mintKey(org.admin, org.id, 'rules', ['rules:read', 'rules:write'])
    const { access_token } = await exchangeKey(clientFromNewAddress(system.stack), key)
    const folder = mkdtempSync(join(tmpdir(), 'whereabouts-rules-'))
    writeFileSync(join(folder, 'rule.json'), withIds(RULES[0]?.body ?? '', await newThings(org)))
    const variables = `BASE=${system.stack.urls.base}\nJSON='Content-Type: application/json'\nAUTH='Authorization: Bearer ${access_token}'\n`
    const printed = await runOn(variables + COMMANDS.replace('\n', '\necho\n'), 'bash', [], folder)
    rmSync(folder, { recursive: true })
    const [preview, created] = printed.split('\n').map((line) => JSON.parse(line) as { data: unknown })
    expect(preview?.data).toEqual({ now: { count: 0, subjects: [] }, past: { count: 0, alerts: [] } })
    expect(created?.data).toMatchObject({ kind: 'stayed_longer_than', problem: null })
  },
)
