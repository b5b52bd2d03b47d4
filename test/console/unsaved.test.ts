import { newAsset } from '../system/organization.ts'
import { expect } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

test('what was typed into a form is not dropped without a question', async ({ member, organization }) => {
  const { page } = member
  const asset = await newAsset(organization, 'Forklift 7', [])
  await member.open('/assets')
  await page.getByRole('link', { name: 'Forklift 7' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Forklift 7' })
  await form.waitFor()
  await page.keyboard.press('Escape') // nothing was typed
  await form.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Edit' }).click()
  await form.getByLabel('Description').fill('Reach truck')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
  await question.waitFor()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await page.evaluate('history.back()')
  await question.getByRole('button', { name: 'Keep editing' }).click()
  expect(new URL(page.url()).pathname).toBe(`/assets/${asset.id}`)
  await expect.poll(() => form.getByLabel('Description').inputValue()).toBe('Reach truck')

  await page.evaluate('history.back()')
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Forklift 7' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await form.getByLabel('Description').fill('Reach truck')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' }) // saved: no question
  await page.getByText('Reach truck').waitFor()
  await page.evaluate('history.back()')
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
})

test('a table of times adds no stops for the Tab key', async ({ member, organization }) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [])
  await member.open('/assets')
  const created = page.getByRole('row', { name: /Forklift 7/ }).locator('time')
  await created.first().waitFor()
  expect(await created.first().getAttribute('title')).toMatch(/ · \d{4}-\d{2}-\d{2}T/)
  expect(await page.locator('time[tabindex]').count()).toBe(0)
})
