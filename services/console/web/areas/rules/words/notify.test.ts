import { expect, test } from 'vitest'
import { addressesIn, cleaned, linesOf, reminders } from './notify.ts'

test('addresses are lines, and what is typed half stays as it is until it is sent', () => {
  const email = ['admins', ...linesOf('ada@example.com\n ben@example.com\n')]
  expect(addressesIn(email)).toEqual(['ada@example.com', ' ben@example.com', ''])
  const notify = {
    event: true,
    email,
    chat: [{ kind: 'slack', url: ' https://a.example ' }],
    remind_minutes: null,
  }
  expect(cleaned(notify)).toEqual({
    ...notify,
    email: ['admins', 'ada@example.com', 'ben@example.com'],
    chat: [{ kind: 'slack', url: 'https://a.example' }],
  })
  expect(linesOf('')).toEqual([])
})

test('a reminder that a program has set is a choice too, once', () => {
  expect(reminders(45).map(({ value }) => value)).toEqual(['', '15', '30', '60', '240', '1440', '45'])
  expect(reminders(60)).toEqual(reminders(null))
})
