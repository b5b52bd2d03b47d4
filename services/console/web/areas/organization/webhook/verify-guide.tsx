import { Code, List, Paper, Tabs, Text, Title } from '@mantine/core'

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

/** How a receiver verifies an event. The integrator guide has the details. */
export function VerifyGuide() {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        Verify the signature
      </Title>
      <Text size="sm" my="xs">
        <Code>X-Service-Signature</Code> is the HMAC-SHA256 of <Code>X-Service-Timestamp</Code>, a dot and the
        raw body. The key is the signing secret.
      </Text>
      <Tabs defaultValue="node">
        <Tabs.List>
          <Tabs.Tab value="node">Node</Tabs.Tab>
          <Tabs.Tab value="python">Python</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="node" pt="xs">
          <Code block tabIndex={0} aria-label="Verify in Node">
            {NODE}
          </Code>
        </Tabs.Panel>
        <Tabs.Panel value="python" pt="xs">
          <Code block tabIndex={0} aria-label="Verify in Python">
            {PYTHON}
          </Code>
        </Tabs.Panel>
      </Tabs>
      <List size="sm" mt="sm">
        <List.Item>
          Answer with any 2xx within 5 seconds. After three failed attempts, an event is dropped.
        </List.Item>
        <List.Item>
          The same <Code>delivery_id</Code> can arrive twice. Process it once.
        </List.Item>
        <List.Item>Read the asset location report from time to time to catch up on missed events.</List.Item>
      </List>
    </Paper>
  )
}
