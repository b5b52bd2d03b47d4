import { useEffect, useRef, useState } from 'react'
import { saveFile } from './save-file.ts'

/** `load` calls back with the bytes so far. */
export type Download = { load: (signal: AbortSignal, onBytes: (bytes: number) => void) => Promise<File> }

/** Loads a file and offers it as a download. Leaving the screen cancels it. */
export function useDownload<D extends Download>() {
  const [bytes, setBytes] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const [asked, setAsked] = useState<D>()
  useEffect(() => () => running.current?.abort(), [])
  const start = (download: D) => {
    setAsked(download)
    const controller = new AbortController()
    running.current = controller
    setError(undefined)
    setBytes(0)
    download
      .load(controller.signal, setBytes)
      .then((file) => saveFile(file, file.name))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) setError(failure)
      })
      .finally(() => setBytes(undefined))
  }
  return {
    /** Bytes received so far; undefined if no download is running. */
    bytes,
    error,
    start,
    /** The same again. */
    retry: () => asked && start(asked),
    /** What was started last. */
    asked,
    cancel: () => running.current?.abort(),
  }
}
