import type { components } from '@whereabouts/client/client'

export type ReaderFormat = components['schemas']['ReaderCreate']['format']

/** Every format, as a person knows it. */
const LABELS: Readonly<Record<ReaderFormat, string>> = {
  canonical: 'Canonical: an integration of your own',
  impinj: 'Impinj R700, R720',
  zebra: 'Zebra FX, ATR, FXR readers and RFD sleds',
  csl: 'CSL CS463, CS203X',
  moko: 'Moko MK107, MKGW3, MKGW-mini',
  minew: 'Minew G1, G2, MG3, MG4',
  'gl-s10': 'GL-iNet GL-S10',
  kkm: 'KKM, HoneyComm and relatives',
  mapping: 'Another device: its messages by a mapping',
}

export const FORMATS = Object.keys(LABELS) as readonly ReaderFormat[]

export const FORMAT_CHOICES = FORMATS.map((value) => ({ value, label: LABELS[value] }))

/** A newer API may know more formats. */
export const formatLabel = (format: string): string => LABELS[format as ReaderFormat] ?? format
