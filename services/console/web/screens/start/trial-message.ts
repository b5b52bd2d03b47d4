import { mqttTopic } from '../readers/broker-address.ts'

/** Everything that a first message by hand needs. Without credentials the commands name variables of the shell. */
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

/** A canonical message, whatever the reader sends later: what counts is the format in the topic. */
export const trialTopic = ({ orgId, readerKey }: Trial) =>
  mqttTopic({ orgId, readerKey, format: 'canonical' })

export const trialMessage = ({ tag, antenna }: Trial) =>
  JSON.stringify({ reads: [{ tag: { type: tag.tag_type, value: tag.value }, antenna }] })

/** A word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const DEFAULT_PORTS: Record<string, string> = { 'mqtt:': '1883', 'mqtts:': '8883' }

/** For any machine with the clients of Mosquitto; undefined where the address is not told. */
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
 * For an installation of one's own, in its folder: a simulated reader that has the tag in its field. `npm run scan` reads who it
 * is from a file, which is written first.
 * Undefined as long as there are no credentials to write.
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
