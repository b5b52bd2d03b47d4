import { useRef, useState } from 'react'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

export type Export = {
  /** Bytes received so far; undefined if no export is running. */
  bytes: number | undefined
  error: unknown
  start: () => void
  cancel: () => void
}

/** Downloads all assets as a file. The page receives it, because a plain link could not send the access token. */
export function useExport(): Export {
  const [bytes, setBytes] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const start = () => {
    const controller = new AbortController()
    running.current = controller
    setError(undefined)
    setBytes(0)
    receive(controller.signal, setBytes)
      .then((file) => save(file, 'assets.csv'))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure)
      })
      .finally(() => setBytes(undefined))
  }
  return { bytes, error, start, cancel: () => running.current?.abort() }
}

const SHOWN_EVERY_MS = 200

async function receive(signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Blob> {
  const body = unwrap(await api.GET('/api/v1/exports/assets', { parseAs: 'stream', signal }))
  if (!body) throw new Error('The export is empty')
  const parts: BlobPart[] = []
  let bytes = 0
  let shownAt = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.byteLength
    if (Date.now() - shownAt < SHOWN_EVERY_MS) continue
    shownAt = Date.now()
    onBytes(bytes)
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' })
}

const KEPT_MS = 60_000

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS) // the browser reads it after the click
}
