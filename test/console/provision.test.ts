import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newLocation, newReader, readerViews } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { leave, newVisitor, test } from './support/visitor.fixture.ts'

const MESSAGE = Buffer.from('{"reads":[{"tag":{"type":"rfid","value":"E200EE"},"antenna":1}]}')

test('D16.1 a technician opens the link of an administrator once, and connects the device with it', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  const reader = { key: 'dock-1', format: 'canonical', locationId: dock, antennas: 1 } as const
  await member.open(`/readers/${await newReader(organization, reader)}`)
  await page.getByRole('button', { name: 'Make a link for the device' }).click()
  const link = await valueOf(page, 'Link for dock-1')
  expect(new URL(link)).toMatchObject({ pathname: '/provision', search: '' })
  await page.getByRole('img', { name: 'QR code of the link for dock-1' }).waitFor()
  await page.getByText(/It works once, until \d/).waitFor()
  await expectAccessible(page)
  await page.getByLabel('I have handed it over').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Make a link for the device' }).waitFor()

  const technician = await newVisitor(browser)
  const shown = technician.page
  await shown.goto(link)
  await shown.getByText('The link works once.').waitFor()
  await expectAccessible(shown)
  await shown.reload() // a preview does not use it up
  await shown.getByRole('button', { name: 'Show the settings' }).click()
  await shown.getByText('For the reader dock-1 alone').waitFor()
  await expectAccessible(shown)
  await shown.getByText('For technicians').click()
  const key = { clientId: await valueOf(shown, 'User name'), clientSecret: await valueOf(shown, 'Password') }
  const urls = {
    mqtt: await valueOf(shown, 'MQTT broker'),
    nats: await valueOf(shown, 'NATS broker'),
    base: new URL(await valueOf(shown, 'HTTPS address')).origin,
  }
  expect(await valueOf(shown, 'MQTT topic')).toBe(`scans/${organization.id}/dock-1/canonical`)
  expect(new URL(await valueOf(shown, 'HTTPS address')).pathname).toBe('/api/v1/scans/dock-1/canonical')
  await shown.getByLabel('The device has it').check()
  await shown.getByRole('button', { name: 'Done' }).click()
  await shown.getByText('User name and password are not shown any more.').waitFor()

  // Over MQTT, the broker drops what is not permitted, and acknowledges it.
  const overMqtt = await connectReader({ urls }, key, 'mqtt')
  for (const readerKey of ['dock-1', 'dock-2'])
    await overMqtt.publish(organization.id, readerKey, 'canonical', MESSAGE)
  await overMqtt.close()
  const overHttps = await connectReader({ urls }, key, 'https')
  await overHttps.publish(organization.id, 'dock-1', 'canonical', MESSAGE)
  await expect(overHttps.publish(organization.id, 'dock-2', 'canonical', MESSAGE)).rejects.toThrow('403')
  await expect
    .poll(async () => (await readerViews(organization)).map((one) => [one.reader_key, one.health.reads]), {
      timeout: 15_000,
      interval: 100,
    })
    .toEqual([['dock-1', 2]])

  await shown.goto('about:blank')
  await shown.goto(link)
  await shown.getByRole('button', { name: 'Show the settings' }).click()
  const refused = shown.getByRole('alert')
  await refused.getByText('This link does not work any more', { exact: true }).waitFor()
  await refused.getByText('It was used, has expired or was withdrawn.').waitFor()
  await expectAccessible(shown)
  await shown.goto('/provision')
  await shown.getByText('The link is incomplete').waitFor()
  await leave({ ...technician, problems: technician.problems.filter((text) => !text.includes('404')) })
})

const valueOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()
