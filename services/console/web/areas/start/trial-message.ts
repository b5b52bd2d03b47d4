import { mqttTopic } from '../connect/broker-address.ts'

/** Input of the trial commands. Without credentials, they use shell variables. */
export type Trial = {
  orgId: number
  readerKey: string
  antenna: number
  tag: { tag_type: string; value: string }
  baseUrl: string
  natsUrl: string | null
  mqttUrl: string | null
  credentials: { clientId: string; clientSecret: string } | undefined
}

/** Always canonical: the topic defines the format of a message, so the reader can send another one. */
export const trialTopic = ({ orgId, readerKey }: Trial) =>
  mqttTopic({ orgId, readerKey, format: 'canonical' })

export const trialMessage = ({ tag, antenna }: Trial) =>
  JSON.stringify({ reads: [{ tag: { type: tag.tag_type, value: tag.value }, antenna }] })

/** Quotes a word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const DEFAULT_PORTS: Record<string, string> = { 'mqtt:': '1883', 'mqtts:': '8883' }

/** For machines with the Mosquitto clients. Undefined without an MQTT address. */
export function mosquittoCommand(trial: Trial): string | undefined {
  if (trial.mqttUrl === null) return undefined
  const { protocol, hostname, port } = new URL(trial.mqttUrl)
  const [user, password] = trial.credentials
    ? [quoted(trial.credentials.clientId), quoted(trial.credentials.clientSecret)]
    : ['"$USER_NAME"', '"$PASSWORD"']
  return [
    'mosquitto_pub',
    `-h ${hostname} -p ${port === '' ? (DEFAULT_PORTS[protocol] ?? '1883') : port}`,
    ...(protocol === 'mqtts:' ? ['--tls-use-os-certs'] : []),
    `-q 1 -u ${user} -P ${password}`,
    `-t ${trialTopic(trial)}`,
    `-m ${quoted(trialMessage(trial))}`,
  ].join(' ')
}

/**
 * Runs a simulated reader in the folder of an installation. First writes the credentials to a file for `npm run scan`.
 * Undefined without credentials.
 */
export function scanCommand(trial: Trial): string | undefined {
  const { orgId, readerKey, antenna, tag, credentials, natsUrl, baseUrl } = trial
  if (natsUrl === null || !credentials) return undefined
  const file = `.data/organization-${orgId}.json`
  const content = JSON.stringify({
    base_url: baseUrl,
    nats_url: natsUrl,
    org_id: orgId,
    reader_key: { client_id: credentials.clientId, client_secret: credentials.clientSecret },
  })
  const write = `(umask 077; mkdir -p .data; printf %s ${quoted(content)} >${file})`
  const scan = `npm run scan -- --demo ${file} --reader ${readerKey} --antenna ${antenna}`
  return `${write} && ${scan} --type ${tag.tag_type} --tag ${quoted(tag.value)} --every 5`
}
