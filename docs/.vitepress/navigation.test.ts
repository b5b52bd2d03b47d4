import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { API_REFERENCE, sidebar } from './navigation.ts'

const linksOf = (path: string) => (sidebar[path] ?? []).flatMap(({ items }) => items.map(({ link }) => link))
const pages = globSync('{.,adr}/*.md', { cwd: join(import.meta.dirname, '..') }).map(
  (file) => `/${file.replace(/(?:index|README)?\.md$/, '')}`,
)

test('every guide is in the menu', () => {
  const guides = pages.filter((link) => !/^\/adr\/./.test(link))
  expect(guides.length).toBeGreaterThan(10)
  expect(linksOf('/').toSorted()).toEqual([...guides, API_REFERENCE.link].toSorted())
})

test('every page is in the menu of decisions', () => {
  expect(linksOf('/adr/').toSorted()).toEqual([...pages, API_REFERENCE.link].toSorted())
})
