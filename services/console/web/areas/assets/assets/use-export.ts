import { useRef, useState } from 'react'
import { unwrap } from '@whereabouts/client/client'
import { saveFile } from '../../../parts/table/save-file.ts'
import { client } from '../../../session/api.ts'
import type { queryOf } from './use-assets.ts'

export type Export = {
  /** Bytes received so far; undefined if no export is running. */
  bytes: number | undefined
  error: unknown
  start: (file: AssetFile) => void
  /** The same again. */
  retry: () => void
  /** The number of assets of the running export. */
  total: number
  cancel: () => void
}

/** A file of `total` assets. `load` calls back with the bytes so far. */
export type AssetFile = {
  name: string
  total: number
  load: (signal: AbortSignal, onBytes: (bytes: number) => void) => Promise<Blob>
}

/** Downloads the assets that a list shows as a file. */
export function useExport(): Export {
  const [bytes, setBytes] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const [asked, setAsked] = useState<AssetFile>()
  const start = (file: AssetFile) => {
    setAsked(file)
    const controller = new AbortController()
    running.current = controller
    setError(undefined)
    setBytes(0)
    file
      .load(controller.signal, setBytes)
      .then((content) => saveFile(content, file.name))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure)
      })
      .finally(() => setBytes(undefined))
  }
  const retry = () => asked && start(asked)
  return {
    bytes,
    error,
    start,
    retry,
    total: asked?.total ?? 0,
    cancel: () => running.current?.abort(),
  }
}

const SHOWN_EVERY_MS = 200

/** All assets of a list as it is now, in its order. */
export async function listFile(
  query: ReturnType<typeof queryOf>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const params = { query: { ...query, window: 'current' as const } } // the list leaves out the others
  const body = unwrap(await client.GET('/api/v1/exports/assets', { params, parseAs: 'stream', signal }))
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
