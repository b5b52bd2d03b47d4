/**
 * The 96-bit codes of the GS1 EPC Tag Data Standard. After the header, each has a filter value, a partition, the company
 * prefix, a reference and a serial number. The partition says how the digits, and so the bits, divide between prefix and
 * reference. Written here because no package for it has tests.
 */

export const epcSchemes = ['sgtin-96', 'sscc-96', 'sgln-96', 'grai-96', 'giai-96'] as const
export type EpcScheme = (typeof epcSchemes)[number]

/** The bits of a company prefix, by partition. It has 12 digits less the partition. */
const COMPANY_BITS = [40, 37, 34, 30, 27, 24, 20]

type Layout = { header: string; bits: number; digits: number | undefined; serialBits: number }

/**
 * `bits` and `digits` are of prefix and reference together. Without `digits`, the reference is a number of any length. The
 * serial bits of an SSCC are reserved and 0, and GIAIs have none.
 */
const schemes: Record<EpcScheme, Layout> = {
  'sgtin-96': { header: '30', bits: 44, digits: 13, serialBits: 38 },
  'sscc-96': { header: '31', bits: 58, digits: 17, serialBits: 24 },
  'sgln-96': { header: '32', bits: 41, digits: 12, serialBits: 41 },
  'grai-96': { header: '33', bits: 44, digits: 12, serialBits: 38 },
  'giai-96': { header: '34', bits: 82, digits: undefined, serialBits: 0 },
}

const withSerial = (scheme: EpcScheme) => scheme !== 'sscc-96' && scheme !== 'giai-96'

/** Numbers are texts of decimal digits, because zeros in front count. */
export type Epc = {
  scheme: EpcScheme
  /** Null in a pure identity: then any filter value has it. */
  filter: number | null
  company: string
  /** Item reference, serial reference, location reference, asset type or individual asset reference. */
  reference: string
  /** Serial number, or the extension of an SGLN. Undefined if the scheme has neither. */
  serial: string | undefined
}

const HEX = /^[0-9A-F]{24}$/

/** A code in upper-case hex; undefined for any other text. */
export function decodeHex(hex: string): Epc | undefined {
  const scheme = HEX.test(hex) && epcSchemes.find((name) => hex.startsWith(schemes[name].header))
  if (!scheme) return undefined
  const { bits, digits, serialBits } = schemes[scheme]
  const code = BigInt(`0x${hex}`)
  const read = (start: number, length: number) => BigInt.asUintN(length, code >> BigInt(96 - start - length))
  const partition = Number(read(11, 3))
  const companyBits = COMPANY_BITS[partition]
  if (companyBits === undefined) return undefined
  const company = padded(read(14, companyBits), 12 - partition)
  const number = read(14 + companyBits, bits - companyBits)
  const reference = digits === undefined ? String(number) : padded(number, digits - 12 + partition)
  const serial = read(14 + bits, serialBits)
  if (company === undefined || reference === undefined || (!withSerial(scheme) && serial !== 0n))
    return undefined
  return {
    scheme,
    filter: Number(read(8, 3)),
    company,
    reference,
    serial: withSerial(scheme) ? String(serial) : undefined,
  }
}

function padded(number: bigint, digits: number): string | undefined {
  if (digits === 0) return number === 0n ? '' : undefined
  const text = String(number).padStart(digits, '0')
  return text.length === digits ? text : undefined
}

/** Undefined if a number needs more bits than it has, or if the code is a pure identity. */
export function encodeHex({ scheme, filter, company, reference, serial = '0' }: Epc): string | undefined {
  const { header, bits, serialBits } = schemes[scheme]
  const partition = 12 - company.length
  const companyBits = COMPANY_BITS[partition]
  if (filter === null || companyBits === undefined) return undefined
  const fields: [bits: number, text: string][] = [
    [3, String(filter)],
    [3, String(partition)],
    [companyBits, company],
    [bits - companyBits, reference],
    [serialBits, serial],
  ]
  let code = BigInt(`0x${header}`)
  for (const [length, text] of fields) {
    const number = BigInt(text) // 0 for no digits
    if (number >> BigInt(length) !== 0n) return undefined
    code = (code << BigInt(length)) | number
  }
  return code.toString(16).toUpperCase()
}

const URI =
  /^urn:epc:(?:tag:([a-z]+-96):([0-7])\.|id:([a-z]+):)(\d{6,12})\.(\d{0,19})(?:\.(0|[1-9]\d{0,12}))?$/

/** A tag URI or a pure-identity URI in lower case; undefined for any other text, and for a code of more than 96 bits. */
export function parseUri(uri: string): Epc | undefined {
  const [, tag, filter, identity, company = '', reference = '', serial] = URI.exec(uri) ?? []
  const scheme = epcSchemes.find((name) => name === (tag ?? `${identity}-96`))
  if (scheme === undefined || withSerial(scheme) !== (serial !== undefined)) return undefined
  const { digits } = schemes[scheme]
  const isReference =
    digits === undefined ? /^(?:0|[1-9]\d*)$/.test(reference) : company.length + reference.length === digits
  const epc = { scheme, filter: Number(filter ?? 0), company, reference, serial }
  if (!isReference || encodeHex(epc) === undefined) return undefined
  return filter === undefined ? { ...epc, filter: null } : epc
}

const numbersOf = ({ company, reference, serial }: Epc) =>
  [company, reference, ...(serial === undefined ? [] : [serial])].join('.')

export const pureIdentityUri = (epc: Epc): string =>
  `urn:epc:id:${epc.scheme.replace('-96', '')}:${numbersOf(epc)}`

/** The tag URI; for a pure identity, which has none, that one. */
export const epcUri = (epc: Epc): string =>
  epc.filter === null ? pureIdentityUri(epc) : `urn:epc:tag:${epc.scheme}:${epc.filter}.${numbersOf(epc)}`
