/** The identity of an iBeacon, which stays when its address rotates (D6.5). */
export type Beacon = { uuid: string; major: number; minor: number }

/** As views show it, and as it compares before `matchValue`. */
export const beaconText = ({ uuid, major, minor }: Beacon): string => `${uuid}/${major}/${minor}`

const UUID = '[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}'
const BETWEEN = String.raw`(?:\s?[-_/:,;.|]\s?|\s)`
const NAMED = String.raw`^\s*(?:(?:i-?)?beacon[-_/:,;.|\s]{0,3})?`
const NUMBER = String.raw`0x[0-9a-f]{1,4}|\d{1,5}`

const ONLY_UUID = new RegExp(`^${UUID}$`, 'i')
const PARTS = new RegExp(
  String.raw`${NAMED}[{(]?(${UUID})[)}]?${BETWEEN}(${NUMBER})${BETWEEN}(${NUMBER})\s*$`,
  'i',
)
/** 20 bytes as one number in hex, as trackers send it. */
const BYTES = new RegExp(String.raw`${NAMED}([0-9a-f]{32})([0-9a-f]{4})([0-9a-f]{4})\s*$`, 'i')

/** No spelling is longer: that of Home Assistant with all white space. */
const MAX_LENGTH = 96

/** A beacon in any usual spelling, such as `iBeacon:<uuid>-<major>-<minor>`; undefined for any other text (D19.3). */
export function parseBeacon(text: string): Beacon | undefined {
  if (text.length < 36 || text.length > MAX_LENGTH) return undefined
  const [, uuid, ...numbers] = PARTS.exec(text) ?? []
  if (uuid !== undefined) return beaconOf(uuid, numbers.map(Number))
  const [, bytes, ...hex] = BYTES.exec(text) ?? []
  return bytes === undefined
    ? undefined
    : beaconOf(
        bytes,
        hex.map((digits) => Number.parseInt(digits, 16)),
      )
}

function beaconOf(sent: string, [major = -1, minor = -1]: readonly number[]): Beacon | undefined {
  const uuid = readUuid(sent)
  return uuid !== undefined && isNumber(major) && isNumber(minor) ? { uuid, major, minor } : undefined
}

const isNumber = (value: number) => value >= 0 && value <= 0xffff

/** The UUID in lower case with dashes; undefined for any other value, and for zeros, which devices send for none. */
export function readUuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 36 || !ONLY_UUID.test(value)) return undefined
  const hex = value.replaceAll('-', '').toLowerCase()
  if (/^0+$/.test(hex)) return undefined
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The text of a beacon as views show it; undefined for any other text. */
export function beaconValue(text: string): string | undefined {
  const beacon = parseBeacon(text)
  return beacon && beaconText(beacon)
}
