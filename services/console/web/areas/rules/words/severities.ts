import { wordsFor } from '../../../parts/things/known.ts'

const WORDS = { info: 'Info', warning: 'Warning', critical: 'Critical' }
const COLORS = { info: 'blue', warning: 'yellow', critical: 'red' }

export const SEVERITIES = Object.entries(WORDS).map(([value, label]) => ({ value, label }))

export const severityName = (severity: string): string => wordsFor(WORDS, severity) ?? severity
export const severityColor = (severity: string): string => wordsFor(COLORS, severity) ?? 'gray'
