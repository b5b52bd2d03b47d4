import { type Checks, wholeBetween } from '../../../../parts/form/checks.ts'

export type Strength = {
  /** Weaker reads of the antenna do not count, in dBm; null: as the organization says. */
  minimum: number | null
  /** Added to what the antenna reports, in dB. */
  offset: number
}

/** As typed. */
export type TypedStrength = { minimum: string; offset: string }

export const typedOf = ({ minimum, offset }: Strength): TypedStrength => ({
  minimum: minimum === null ? '' : String(minimum),
  offset: String(offset),
})

/** Problems by field of the API. */
export const strengthChecks = ({ minimum, offset }: TypedStrength): Checks => ({
  min_rssi_dbm: minimum === '' ? undefined : wholeBetween(minimum, -120, 0),
  rssi_offset_db: offset === '' ? undefined : wholeBetween(offset, -40, 40),
})

/** The fields of the API. */
export const strengthBody = ({ minimum, offset }: TypedStrength) => ({
  min_rssi_dbm: minimum === '' ? null : Number(minimum),
  rssi_offset_db: Number(offset), // empty: nothing is added
})

const signed = (value: number) => String(value).replace('-', '−')

/** What is set, such as `at least −80 dBm, −6 dB added`; empty if nothing is. */
export const strengthText = ({ minimum, offset }: Strength): string =>
  [
    ...(minimum === null ? [] : [`at least ${signed(minimum)} dBm`]),
    ...(offset === 0 ? [] : [offset > 0 ? `${offset} dB added` : `${-offset} dB taken off`]),
  ].join(', ')
