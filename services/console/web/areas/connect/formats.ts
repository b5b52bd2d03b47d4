import type { components } from '@whereabouts/client/client'

export type ReaderFormat = components['schemas']['ReaderCreate']['format']

/** Every format with its label, as "Kind of reader". */
const LABELS: Readonly<Record<ReaderFormat, string>> = {
  canonical: 'Other, or our own program (JSON)',
  impinj: 'Impinj R700, R720',
  zebra: 'Zebra FX, ATR, FXR readers and RFD sleds',
  csl: 'CSL CS463, CS203X',
  moko: 'Moko MK107, MKGW3, MKGW-mini',
  minew: 'Minew G1, G2, MG3, MG4',
  'gl-s10': 'GL-iNet GL-S10',
  kkm: 'KKM, HoneyComm and compatible',
  mapping: 'Other, described by a mapping (JSON)',
}

export const FORMATS = Object.keys(LABELS) as readonly ReaderFormat[]

export const FORMAT_CHOICES = FORMATS.map((value) => ({ value, label: LABELS[value] }))

/** A newer API may have more formats. */
export const formatLabel = (format: string): string => LABELS[format as ReaderFormat] ?? format
