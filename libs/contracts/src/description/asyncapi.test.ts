import { expect, test } from 'vitest'
import { parseScanSubject, scanSubject } from '../messages/subjects/scan-subject.ts'
import { exampleOf } from '../messages/webhook-events.ts'
import { sentTypes } from '../resources/webhooks/events.ts'
import { messageDescription } from './asyncapi.ts'
import { eventName } from './openapi-events.ts'

const { channels, components, operations, servers } = messageDescription('https://api.example.com:8443')

test('the subject and the topic are those that tracking reads', () => {
  const reader = { orgId: 42, readerKey: 'dock-1', format: 'canonical' }
  const filled = (address: string) =>
    address.replace('{org}', '42').replace('{reader}', 'dock-1').replace('{format}', 'canonical')
  expect(filled(channels.scansOverNats.address)).toBe(scanSubject(reader))
  // The broker turns the slashes of a topic into dots.
  expect(parseScanSubject(filled(channels.scansOverMqtt.address).replaceAll('/', '.'))).toEqual(reader)
  const { org, reader: key, format } = channels.scansOverNats.parameters
  const examples = [org.examples[0], key.examples[0]].join('.')
  for (const name of format.enum) expect(parseScanSubject(`scans.${examples}.${name}`)).toBeDefined()
})

test('servers are the host of the installation, with the ports for readers', () => {
  const { nats, mqtts, mqtt } = servers
  expect(
    [nats, mqtts, mqtt].map(({ host }) => host.replace('{broker}', nats.variables.broker.default)),
  ).toEqual(['api.example.com:4222', 'api.example.com:8883', 'api.example.com:1883'])
  expect(messageDescription().servers.nats.variables.broker.default).toBe('localhost')
})

test('a webhook gets each type that it can ask for, with the example of the feed', () => {
  const sent = sentTypes.map((event) => ({ event, name: eventName(event) }))
  const names = operations.sendEvent.messages.map(({ $ref }) => $ref.split('/').at(-1))
  expect(names).toEqual(sent.map(({ name }) => name))
  const messages: Record<string, object> = components.messages
  for (const { event, name } of sent)
    expect(messages[name]).toMatchObject({
      name: event,
      headers: { $ref: '#/components/schemas/WebhookHeaders' },
      examples: [{ payload: { event, data: exampleOf(event) } }],
    })
  expect(components.schemas['WebhookHeaders']).toMatchObject({
    required: expect.arrayContaining(['webhook-signature', 'X-Service-Signature', 'webhook-id']),
  })
})
