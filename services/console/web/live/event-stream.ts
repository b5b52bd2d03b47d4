export type StreamEvent = { id: string; event: string; data: string }

/**
 * Splits `text/event-stream` into events. Feed it text as it arrives. An id without data is an event with empty data:
 * the server sends it as a heartbeat. Comments are skipped.
 */
export function eventReader(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = ''
  let fields: StreamEvent = { id: '', event: 'message', data: '' }
  let isEmpty = true
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/) // the \n of a \r at the end may follow
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (!isEmpty) onEvent(fields)
        fields = { id: fields.id, event: 'message', data: '' }
        isEmpty = true
        continue
      }
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (name === 'id' || name === 'event') fields = { ...fields, [name]: value }
      else if (name === 'data')
        fields = { ...fields, data: fields.data === '' ? value : `${fields.data}\n${value}` }
      else continue
      isEmpty = false
    }
  }
}
