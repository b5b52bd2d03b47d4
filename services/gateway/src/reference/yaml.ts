/**
 * JSON values as YAML 1.2. Strings and keys keep their JSON quotes, so that YAML never reads one as a number, a date or
 * `no`.
 */
export function toYaml(value: unknown): string {
  return `${lines(structuredClone(value), '').join('\n')}\n`
}

function lines(value: unknown, indent: string): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item: unknown) => entry(`${indent}-`, item, `${indent}  `))
  if (isFilledObject(value))
    return Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .flatMap(([key, item]) => entry(`${indent}${JSON.stringify(key)}:`, item, `${indent}  `))
  return [`${indent}${JSON.stringify(value)}`]
}

function entry(head: string, value: unknown, indent: string): string[] {
  const isNested = isFilledObject(value) || (Array.isArray(value) && value.length > 0)
  return isNested ? [head, ...lines(value, indent)] : [`${head} ${JSON.stringify(value)}`]
}

const isFilledObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
