export type StreamEvent = { id: string; event: string; data: string }

/** Splits `text/event-stream` into events. Feed it text as it arrives. Comments are heartbeats and are skipped. */
export function eventReader(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = ''
  let fields: StreamEvent = { id: '', event: 'message', data: '' }
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (fields.data !== '' || fields.event !== 'message') onEvent(fields)
        fields = { id: fields.id, event: 'message', data: '' }
        continue
      }
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (name === 'id' || name === 'event') fields = { ...fields, [name]: value }
      if (name === 'data')
        fields = { ...fields, data: fields.data === '' ? value : `${fields.data}\n${value}` }
    }
  }
}
