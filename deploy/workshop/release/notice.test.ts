import { expect, test } from 'vitest'
import { IMAGE, noticeOf } from './notice.ts'

const titlesOf = (text: string) =>
  text.split(/\n\n-{80}\n\n/).flatMap((part) => part.split('\n\n')[0]?.split('\n') ?? [])

test('the notice of the image has what runs and what browsers load, and nothing of the tools', () => {
  const titles = titlesOf(noticeOf(IMAGE)).slice(1)
  for (const name of [
    'fastify',
    'pg',
    'nats',
    'react',
    'vue',
    '@fontsource-variable/inter',
    '@scalar/api-reference',
  ])
    expect(
      titles.filter((title) => title.startsWith(`${name} `)),
      name,
    ).toHaveLength(1)
  expect(
    titles.filter((title) => /^(?:vite |vitest |rolldown |@types\/|@whereabouts\/)/.test(title)),
  ).toEqual([])
  expect(titles.filter((title) => !/^\S+ \d\S* \(.+\)$/.test(title) || title.includes('undefined'))).toEqual(
    [],
  )
  expect(titles).toEqual([...new Set(titles)])
})

test('each package is followed by the text of its license, and the font by the OFL', () => {
  const parts = noticeOf(IMAGE).split(/\n\n-{80}\n\n/)
  const textOf = (name: string) => parts.find((part) => new RegExp(`^${name} `, 'm').test(part)) ?? ''
  expect(textOf('fastify')).toMatch(/Copyright .*\n[^]*Permission is hereby granted/)
  expect(textOf('@fontsource-variable/inter')).toContain('SIL OPEN FONT LICENSE')
})

test('the notice of the client has only what is packed with it', () => {
  expect(
    titlesOf(noticeOf(['libs/client']))
      .slice(1)
      .map((title) => title.split(' ')[0]),
  ).toEqual(['commander', 'csv-parse', 'openapi-fetch', 'openapi-typescript-helpers'])
})
