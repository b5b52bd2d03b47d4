import { expect, test } from 'vitest'
import { letterOf } from './letter.ts'
import { TEXTS_EN } from './texts.en.ts'

const LINK = 'https://whereabouts.example/accept-invitation#token=abc'

test('the link is a button, and text below it', () => {
  const { subject, text, html } = letterOf(TEXTS_EN.verification(), LINK)
  expect(subject).toBe('Confirm your e-mail address')
  expect(text.trim().endsWith(LINK)).toBe(true)
  expect(html).toContain(`<a href="${LINK}"`)
  expect(html.split(LINK)).toHaveLength(3)
})

test('names that people typed are text, not markup', () => {
  const { html, text } = letterOf(
    TEXTS_EN.invitation({ org: '<b>A & B</b>', invited_by: '"><script>' }),
    LINK,
  )
  expect(html).not.toMatch(/<b>|<script>/)
  expect(html).toContain('&lt;b&gt;A &amp; B&lt;/b&gt;')
  expect(text).toContain('<b>A & B</b>')
})

test('a notice has no link', () => {
  const { html, text } = letterOf(TEXTS_EN.email_changed({ email: 'new@example.com' }), undefined)
  expect(html).not.toContain('<a ')
  expect(text).toContain('new@example.com')
})
