import { Anchor, Code, List, Paper, Tabs, Text, Title } from '@mantine/core'

const STANDARD_NODE = `import { Webhook } from 'standardwebhooks' // npm install standardwebhooks

// rawBody: the received bytes, not parsed and serialized again. Throws unless the request is genuine.
export const verify = (rawBody, headers, secret) => new Webhook(secret).verify(rawBody, headers)`

const STANDARD_PYTHON = `from standardwebhooks import Webhook  # pip install standardwebhooks

# raw_body: the received bytes, not parsed and serialized again. Raises unless the request is genuine.
def verify(raw_body, headers, secret):
    return Webhook(secret).verify(raw_body, headers)`

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto'

// rawBody: the received bytes, not parsed and serialized again
export function isGenuine(rawBody, headers, secret) {
  const timestamp = headers['x-service-timestamp']
  const signed = createHmac('sha256', secret).update(timestamp + '.').update(rawBody)
  const expected = Buffer.from('sha256=' + signed.digest('hex'))
  const received = Buffer.from(String(headers['x-service-signature']))
  return received.length === expected.length && timingSafeEqual(received, expected)
}`

const PYTHON = `import hashlib, hmac

# raw_body: the received bytes, not parsed and serialized again
def is_genuine(raw_body, headers, secret):
    timestamp = headers["X-Service-Timestamp"].encode()
    digest = hmac.new(secret.encode(), timestamp + b"." + raw_body, hashlib.sha256)
    expected = "sha256=" + digest.hexdigest()
    return hmac.compare_digest(headers["X-Service-Signature"], expected)`

const EXAMPLES = [
  { id: 'standard-node', name: 'Standard Webhooks, Node', code: STANDARD_NODE },
  { id: 'standard-python', name: 'Standard Webhooks, Python', code: STANDARD_PYTHON },
  { id: 'service-node', name: 'X-Service-Signature, Node', code: NODE },
  { id: 'service-python', name: 'X-Service-Signature, Python', code: PYTHON },
]

/** How a receiver verifies an event. The integrator guide has the details. */
export function VerifyGuide() {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        Verify the signature
      </Title>
      <Text size="sm" my="xs">
        Each request is signed twice with the same secret; verify one of them. The headers{' '}
        <Code>webhook-id</Code>, <Code>webhook-timestamp</Code> and <Code>webhook-signature</Code> are those
        of Standard Webhooks, which has libraries for many languages, and hold for events that are sent again
        later. <Code>X-Service-Signature</Code> is the HMAC-SHA256 of <Code>X-Service-Timestamp</Code>, a dot
        and the raw body.{' '}
        <Anchor href="/docs/webhooks#verify" underline="always" inherit>
          More about verifying
        </Anchor>
      </Text>
      <Tabs defaultValue="standard-node">
        <Tabs.List>
          {EXAMPLES.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {EXAMPLES.map(({ id, name, code }) => (
          <Tabs.Panel key={id} value={id} pt="xs">
            <Code block tabIndex={0} aria-label={`Verify: ${name}`}>
              {code}
            </Code>
          </Tabs.Panel>
        ))}
      </Tabs>
      <List size="sm" mt="sm">
        <List.Item>Answer with any 2xx within 5 seconds.</List.Item>
        <List.Item>
          The same <Code>delivery_id</Code> can arrive twice. Process it once.
        </List.Item>
        <List.Item>Read the asset location report from time to time to catch up on missed events.</List.Item>
      </List>
    </Paper>
  )
}
