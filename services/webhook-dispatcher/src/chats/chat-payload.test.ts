import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'
import { chatKinds, type ChatKind } from '@whereabouts/contracts/resources/rules/notify'
import { expect, test } from 'vitest'
import { chatPayload } from './chat-payload.ts'

const notice = (name: string): AlertNotice => ({
  rule: { id: 4, name },
  severity: 'critical',
  title: `Critical: ${name}`,
  lines: [`2026-11-28 10:00 ${name} left Hall`],
  notes: ['And 3 more.'],
})

/** What people see of a message: the text of its payload. */
const textOf = (kind: ChatKind, name: string) => JSON.stringify(chatPayload(kind, notice(name)))

test.for(chatKinds)('D14.6 a message to %s says which rule, what and how much', (kind) => {
  for (const part of ['Critical: Crates', 'Crates left Hall', 'And 3 more.'])
    expect(textOf(kind, 'Crates')).toContain(part)
})

test.for([
  ['slack', '<!channel>', '&lt;!channel&gt;'],
  ['slack', '<https://evil.example|Sign in>', '&lt;https://evil.example|Sign in&gt;'],
  ['slack', 'A & B', 'A &amp; B'],
  ['google_chat', '<users/all>', '‹users/all›'],
  ['teams', '[Sign in](https://evil.example)', String.raw`\\[Sign in\\](https://evil.example)`],
] as const)('in %s, a thing with the name %s mentions nobody and hides no link', ([kind, name, shown]) => {
  const text = textOf(kind, name)
  expect(text).toContain(shown)
  expect(text).not.toContain(name)
})

test('programs of their own get the parts', () => {
  expect(chatPayload('generic', notice('Crates'))).toEqual(notice('Crates'))
})
