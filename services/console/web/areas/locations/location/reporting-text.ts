export type ReportingAntenna = { reader: string; antenna: number }

const NAMED = 10

/** Which antennas report at a location that is about to be deleted, and what happens to their reads. */
export function reportingText(antennas: readonly ReportingAntenna[], more: boolean): string | undefined {
  if (antennas.length === 0) return undefined
  const one = antennas.length === 1 && !more
  const counted = more
    ? `More than ${antennas.length} antennas report`
    : one
      ? '1 antenna reports'
      : `${antennas.length} antennas report`
  const names = antennas.slice(0, NAMED).map(({ reader, antenna }) => `${reader}, antenna ${antenna}`)
  const rest = more || antennas.length > NAMED ? ' and others' : ''
  const after = one
    ? 'Its reads will move no asset, and its reader will show a problem. Give the antenna another location first.'
    : 'Their reads will move no asset, and their readers will show a problem. Give the antennas another location first.'
  return `${counted} here: ${names.join('; ')}${rest}. ${after}`
}
