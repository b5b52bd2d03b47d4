import { expect, test } from 'vitest'
import { urlProblems } from './webhooks.rules.ts'

test.for([
  'https://example.com', 'https://example.com/hook?x=1#y', 'https://example.com:8443/a', 'HTTPS://Example.com/',
  'https://bücher.example/', 'https://1.1.1.1/hook', 'https://[2606:4700::1111]/hook', 'https://notlocalhost/',
])('%s is accepted', (url) => {
  expect(urlProblems(url, false)).toEqual([])
}) // oxfmt-ignore

test.for([
  ['example.com', 'must be an absolute URL'],
  ['/hook', 'must be an absolute URL'],
  ['https:example.com', 'must be an absolute URL'],
  ['https:///example.com', 'must be an absolute URL'],
  ['https:\\\\example.com', 'must be an absolute URL'],
  ['https://example.com\\@evil.example', 'must be an absolute URL'],
  ['https://exa mple.com', 'must be an absolute URL'],
  [' https://example.com', 'must be an absolute URL'],
  ['https://example.com ', 'must be an absolute URL'],
  ['https://', 'must be an absolute URL'],
  ['https://example.com:99999/', 'must be an absolute URL'],
  ['http://example.com', 'must use https'],
  ['ftp://example.com', 'must use https'],
  ['javascript://example.com', 'must use https'],
  ['https://user:pass@example.com', 'must not contain credentials'],
  ['https://user@example.com', 'must not contain credentials'],
  ['https://@example.com', 'must not contain credentials'],
  ['https://127.0.0.1/hook', 'must not point to a private address'],
  ['https://0x7f.1/hook', 'must not point to a private address'],
  ['https://[::ffff:10.0.0.1]/hook', 'must not point to a private address'],
  ['https://localhost:8080/', 'must not point to a private address'],
  ['https://api.LOCALHOST./', 'must not point to a private address'],
  ['https://8.8.8.8:22/', 'must use port 443 or 8443'],
  ['https://8.8.8.8:25/', 'must use port 443 or 8443'],
  ['https://example.com:80/', 'must use port 443 or 8443'],
  ['https://[2606:4700::1111]:444/', 'must use port 443 or 8443'],
] as const)('%s is refused: %s', ([url, problem]) => {
  expect(urlProblems(url, false)).toEqual([
    { field: 'url', code: 'invalid_value', message: `url ${problem}` },
  ])
})

test('the operator may allow private targets and plain http, but never credentials', () => {
  expect(urlProblems('http://127.0.0.1:3000/hook', true)).toEqual([])
  expect(urlProblems('https://localhost/hook', true)).toEqual([])
  expect(urlProblems('ftp://127.0.0.1/', true)).not.toEqual([])
  expect(urlProblems('http://a:b@127.0.0.1/', true)).not.toEqual([])
})

test('the operator lists the ports', () => {
  expect(urlProblems('https://example.com:9443/', false, [443, 9443])).toEqual([])
  expect(urlProblems('https://example.com:8443/', false, [9443])).toMatchObject([
    { field: 'url', message: 'url must use port 9443' },
  ])
  expect(urlProblems('https://example.com/', false, [9443])).toHaveLength(1)
})
