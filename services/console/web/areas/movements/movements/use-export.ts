import { useEffect, useRef, useState } from 'react'
import { saveFile } from '../../../parts/download/save-file.ts'
import { api } from '../../../session/api.ts'
import { exportPages } from './export-pages.ts'
import { queryOf, type Filter } from './filter.ts'

/** The largest page. */
const PAGE = 500

export type Export = {
  /** In the file so far; undefined if no export is running. */
  rows: number | undefined
  /** The last file has the newest movements only. */
  isCut: boolean
  error: unknown
  start: () => void
  cancel: () => void
}

/** Downloads all movements of the filter as a file. */
export function useExport(filter: Filter): Export {
  const [state, setState] = useState<Pick<Export, 'rows' | 'isCut' | 'error'>>(IDLE)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = () => {
    const { signal } = (running.current = new AbortController())
    const query = { ...queryOf(filter, Date.now()), limit: PAGE }
    const load = (after: string | undefined) =>
      api.page('/api/v1/movements', {
        query: { ...query, ...(after !== undefined && { after }) },
        signal,
      })
    setState({ ...IDLE, rows: 0 })
    exportPages(load, (rows) => signal.aborted || setState({ ...IDLE, rows })).then(
      ({ file, isCut }) => {
        if (!signal.aborted) saveFile(file, 'movements.csv')
        return setState({ ...IDLE, isCut })
      },
      (error: unknown) => setState(signal.aborted ? IDLE : { ...IDLE, error }),
    )
  }
  return { ...state, start, cancel: () => running.current?.abort() }
}

const IDLE = { rows: undefined, isCut: false, error: undefined }
