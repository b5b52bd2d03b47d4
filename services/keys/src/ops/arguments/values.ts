import { Email } from '@whereabouts/contracts/resources/keys/tokens'
import { readId, Uuid } from '@whereabouts/contracts/rules/ids'
import { parseInstant } from '@whereabouts/contracts/rules/instant'
import { isZoneName } from '@whereabouts/contracts/rules/time-zone'
import { InvalidArgumentError } from 'commander'

/** Parsers of single arguments. Each throws `InvalidArgumentError`. */

/** A number for an id, text for a name. */
export function orgReference(raw: string): number | string {
  const reading = readId(raw)
  if ('id' in reading) return reading.id
  if (raw.trim() !== '' && !/^-?[\d.]+$/.test(raw)) return raw.trim()
  throw new InvalidArgumentError('An organization is named by its id (a positive integer) or its name.')
}

/** A number for an id, text for a `jti`. */
export function keyReference(raw: string): number | string {
  if (Uuid.safeParse(raw).success) return raw.toLowerCase()
  const reading = readId(raw)
  if ('id' in reading) return reading.id
  throw new InvalidArgumentError('A key is named by its id (a positive integer) or its jti (a UUID).')
}

/** `never`, or UTC text in microseconds. */
export function instantOrNever(raw: string): string {
  const instant = raw === 'never' ? raw : parseInstant(raw)
  if (instant !== undefined) return instant
  throw new InvalidArgumentError('It must be "never" or an RFC 3339 timestamp like 2027-01-31T00:00:00Z.')
}

export function webAddress(raw: string): string {
  if (URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)) return raw
  throw new InvalidArgumentError('It must be an http or https address.')
}

export function emailAddress(raw: string): string {
  const parsed = Email.safeParse(raw)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError('It must be an e-mail address.')
}

export function timeZone(raw: string): string {
  if (isZoneName(raw)) return raw
  throw new InvalidArgumentError('It must be an IANA time zone like Europe/Berlin.')
}

export const perMinuteOrDefault = (raw: string): number | 'default' =>
  raw === 'default' ? raw : integer(1, 1_000_000)(raw)

export const perSecondOrDefault = (raw: string): number | 'default' =>
  raw === 'default' ? raw : integer(1, 100_000)(raw)

export const amountOrDefault = (raw: string): number | 'default' =>
  raw === 'default' ? raw : integer(1, 2 ** 53)(raw)

export const integer =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw)
    if (/^\d{1,16}$/.test(raw) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`)
  }
