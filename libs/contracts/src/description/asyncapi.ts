import { createDocument } from 'zod-openapi'
import { ScanMessage, SCAN_MESSAGE_EXAMPLE } from './scan-message.ts'
import { LICENSE, RELEASE } from '../release.ts'
import { readerFormats, READER_KEY } from '../resources/tracking/readers.ts'
import { JSON_MEDIA_TYPE } from '../route.ts'
import { forGenerators } from './openapi-components.ts'
import { EVENT_TEXT, eventSchemas, sentEvents, webhookHeaders } from './openapi-events.ts'
import { forReaders } from './openapi.ts'

/** An AsyncAPI 3.0.0 document, ready for JSON. */
export type MessageDescription = ReturnType<typeof messageDescription>

const INTRODUCTION = `What readers and your own programs publish to Whereabouts over NATS and MQTT, and what Whereabouts sends to
webhooks. \`receive\` and \`send\` are those of Whereabouts: you publish what it receives, and get what it sends. Everything else is in
[OpenAPI](/api/openapi.json), also messages of readers over HTTPS and the feed of events.

Guides: [Readers](/docs/readers), [MQTT](/docs/mqtt), [Canonical](/docs/readers/canonical), [Webhooks](/docs/webhooks),
[Types of events](/docs/event-types).`

const BROKER = {
  default: 'localhost',
  description: 'The broker for readers. The console shows its address on the page of a reader, below _Connect the device_.',
} // oxfmt-ignore

const LOGIN =
  'The user name is the `client_id` of an API key with the scope `scans:write`, the password its `client_secret`.'

/**
 * The description of the messages that leave and enter the house, served at `/api/asyncapi.json`. `publicUrl`: the address of
 * the installation, whose host is the default of the broker.
 */
export function messageDescription(publicUrl = '') {
  const broker = publicUrl === '' ? BROKER : { ...BROKER, default: new URL(publicUrl).hostname }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Whereabouts messages',
      version: RELEASE,
      description: INTRODUCTION,
      contact: { name: 'The operator of this host' },
      ...(LICENSE !== undefined && { license: { name: LICENSE } }),
    },
    defaultContentType: JSON_MEDIA_TYPE,
    servers: {
      nats: server(broker, 4222, 'nats', {
        description: `NATS with JetStream. The broker asks for TLS if the operator has set it up. ${LOGIN}`,
      }),
      mqtts: server(broker, 8883, 'secure-mqtt', {
        protocolVersion: '3.1.1',
        description: `MQTT with TLS. MQTT 5 is refused. ${LOGIN}`,
      }),
      mqtt: server(broker, 1883, 'mqtt', {
        protocolVersion: '3.1.1',
        description: `MQTT without TLS, where the operator allows it. ${LOGIN}`,
      }),
      receiver: {
        host: '{receiver}',
        protocol: 'https',
        description: 'The URL that you register for a webhook.',
        variables: { receiver: { default: 'example.com', description: 'Your host.' } },
      },
    },
    channels: {
      scansOverNats: scanChannel('.', ['nats'], 'Publish with JetStream: its acknowledgement means that the message is kept.'),
      scansOverMqtt: scanChannel('/', ['mqtts', 'mqtt'], 'Publish with QoS 1: PUBACK means that the message is kept. Without it, publish again.'),
      webhook: {
        address: null,
        title: 'Your webhook',
        description: EVENT_TEXT,
        servers: [{ $ref: '#/servers/receiver' }],
        messages: Object.fromEntries(sentEvents.map(({ name }) => [name, ref('messages', name)])),
      },
    },
    operations: {
      receiveScansOverNats: operation('receive', 'scansOverNats', 'Publish reads over NATS', ['canonical', 'device']),
      receiveScansOverMqtt: {
        ...operation('receive', 'scansOverMqtt', 'Publish reads over MQTT', ['canonical', 'device']),
        bindings: { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } },
      },
      sendEvent: {
        ...operation('send', 'webhook', 'An event, as a signed request', sentEvents.map(({ name }) => name)),
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      schemas: schemas(),
      messages: { ...scanMessages, ...Object.fromEntries(sentEvents.map((event) => [event.name, eventMessage(event)])) },
      securitySchemes: { key: { type: 'userPassword', description: LOGIN } },
    },
  }
} // oxfmt-ignore

const ref = (kind: 'messages' | 'schemas' | 'securitySchemes', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

const server = (broker: typeof BROKER, port: number, protocol: string, more: object) => ({
  host: `{broker}:${port}`,
  protocol,
  variables: { broker },
  security: [ref('securitySchemes', 'key')],
  ...more,
})

/** The subject or topic of a reader. `separator`: that of the protocol. */
const scanChannel = (separator: '.' | '/', servers: readonly string[], kept: string) => ({
  address: ['scans', '{org}', '{reader}', '{format}'].join(separator),
  title: 'Reads of a reader',
  description: `${kept} A message has at most 256 KiB.`,
  servers: servers.map((name) => ({ $ref: `#/servers/${name}` })),
  parameters: {
    org: { description: 'The id of your organization: `GET /api/v1/orgs/me`.', examples: ['4503599627370497'] },
    reader: {
      description: `The \`reader_key\` of the reader: \`${READER_KEY.source}\`.`,
      examples: ['dock-1'],
    },
    format: { description: 'What the message is. `canonical` is for your own programs.', enum: [...readerFormats] },
  },
  messages: { canonical: ref('messages', 'canonical'), device: ref('messages', 'device') },
}) // oxfmt-ignore

const operation = (
  action: 'receive' | 'send',
  channel: string,
  summary: string,
  names: readonly string[],
) => ({
  action,
  summary,
  channel: { $ref: `#/channels/${channel}` },
  messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
})

const scanMessages = {
  canonical: {
    name: 'canonical',
    title: 'Reads, as your own program writes them',
    summary: 'The format `canonical`.',
    payload: ref('schemas', 'ScanMessage'),
    examples: [{ name: 'read', payload: SCAN_MESSAGE_EXAMPLE }],
  },
  device: {
    name: 'device',
    title: 'A message of a device',
    summary: 'Any other format: the message as the device makes it.',
    description: '[Each format](/docs/readers#which-page) has a page with its messages.',
  },
}

const eventMessage = ({ type, summary, schema, example }: (typeof sentEvents)[number]) => ({
  name: type,
  title: summary,
  contentType: JSON_MEDIA_TYPE,
  headers: ref('schemas', 'WebhookHeaders'),
  payload: ref('schemas', schema),
  examples: [{ name: 'example', payload: example }],
})

/** In the dialect of OpenAPI 3.1, which is that of JSON Schema. */
function schemas(): Record<string, unknown> {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title: '', version: '' },
      paths: {},
      components: { schemas: { ...eventSchemas, ScanMessage } },
    },
    { override: forReaders },
  )
  return { ...forGenerators(document).components?.schemas, WebhookHeaders: headerSchema }
}

const headerSchema = {
  type: 'object',
  description: 'The headers of each request of a webhook. Names have no case.',
  required: webhookHeaders.map(({ name }) => name),
  properties: Object.fromEntries(
    webhookHeaders.map(({ name, description, schema }) => [name, { ...schema, description }]),
  ),
}
