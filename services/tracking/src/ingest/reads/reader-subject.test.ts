import { expect, test } from 'vitest'
import { readerSubject } from './reader-subject.ts'

const topicOf = (subject: string) => readerSubject(subject)?.topic

test('the levels of the topic after the format are as the device wrote them (D16.4)', () => {
  expect(topicOf('scans.1.gate-4.mapping')).toEqual([])
  expect(topicOf('scans.1.gate-4')).toEqual([])
  expect(topicOf('scans.1.gate-4.mapping.C8:25:2D:8E:9C:2C.x')).toEqual(['C8:25:2D:8E:9C:2C', 'x'])
})

test('the broker writes a dot in an MQTT topic as two slashes, and an empty level as one', () => {
  expect(topicOf('$MQTT.msgs.scans.1.gate-4.mapping.a//b./.c')).toEqual(['a.b', '', 'c'])
})

test('at most nine levels are kept, as many as a mapping can name', () => {
  expect(topicOf(`scans.1.gate-4.mapping${'.x'.repeat(2000)}`)).toHaveLength(9)
})
