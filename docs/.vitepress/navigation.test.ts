import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { API_REFERENCE, sidebar } from './navigation.ts'

const linksOf = (path: string) => (sidebar[path] ?? []).flatMap(({ items }) => items.map(({ link }) => link))
const pages = globSync('{.,adr,clients,contributing,design,readers}/*.md', {
  cwd: join(import.meta.dirname, '..'),
}).map((file) => `/${file.replace(/(?:index|README)?\.md$/, '')}`)

const guides = pages.filter((link) => !/^\/(?:adr|contributing|design|readers)\/./.test(link))

test('every guide is in the menu', () => {
  expect(guides.length).toBeGreaterThan(10)
  expect(linksOf('/').toSorted()).toEqual([...guides, API_REFERENCE.link].toSorted())
})

test.for(['adr', 'contributing', 'design', 'readers'])(
  'every page of %s is in its menu, and every guide',
  (folder) => {
    const own = pages.filter((link) => link.startsWith(`/${folder}/`) && !guides.includes(link))
    expect(own.length).toBeGreaterThan(10)
    const menu = Object.keys(sidebar).find((path) => path.startsWith(`/${folder}`)) ?? ''
    expect(linksOf(menu).toSorted()).toEqual([...guides, ...own, API_REFERENCE.link].toSorted())
  },
)
