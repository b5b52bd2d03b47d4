/** JSON values as people write them in code: on one line if it fits, else one entry per line. */

const WIDTH = 80

/** `indent`: of the line that it starts on. `column`: where it starts; with -Infinity it stays on one line. */
export type Notation = (value: unknown, indent?: string, column?: number) => string

type Style = {
  step: string
  /** Inside of the braces, on one line. */
  padding: string
  /** After the last entry of several lines. */
  comma: string
  key: (name: string) => string
  scalar: (value: unknown) => string
}

function notation(style: Style): Notation {
  const write: Notation = (value, indent = '', column = indent.length) => {
    if (typeof value !== 'object' || value === null) return style.scalar(value)
    const entries = Object.entries(value).map(([name, item]: [string, unknown]) => ({
      start: Array.isArray(value) ? '' : `${style.key(name)}: `,
      item,
    }))
    const [open, close] = Array.isArray(value) ? '[]' : '{}'
    const padding = Array.isArray(value) || entries.length === 0 ? '' : style.padding
    const inOne = entries.map(({ start, item }) => start + write(item, '', -Infinity)).join(', ')
    const oneLine = open + padding + inOne + padding + close
    if (column + oneLine.length <= WIDTH) return oneLine
    const inner = indent + style.step
    const lines = entries.map(
      ({ start, item }) => inner + start + write(item, inner, inner.length + start.length),
    )
    return `${open}\n${lines.join(',\n')}${style.comma}\n${indent}${close}`
  }
  return write
}

const quoted = (value: unknown): string => JSON.stringify(value)

export const json = notation({ step: '  ', padding: '', comma: '', key: quoted, scalar: quoted })

const singleQuoted = (text: string): string =>
  `'${quoted(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`

/** JavaScript and TypeScript. */
export const script = notation({
  step: '  ',
  padding: ' ',
  comma: ',',
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : singleQuoted(name)),
  scalar: (value) => (typeof value === 'string' ? singleQuoted(value) : quoted(value)),
})

const pythonWords = new Map<unknown, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
])

export const python = notation({
  step: '    ',
  padding: '',
  comma: ',',
  key: quoted,
  scalar: (value) => pythonWords.get(value) ?? quoted(value),
})
