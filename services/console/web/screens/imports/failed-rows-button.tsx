import { Button } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import type { Import } from './import-files.ts'

/** The failed rows as they were in the file, each with its error: to be corrected and imported again. */
export function FailedRowsButton({ one: { id, resource } }: { one: Import }) {
  const send = useSend(
    async () => {
      const params = { path: { import_id: id } }
      return unwrap(await api.GET('/api/v1/imports/{import_id}/failed-rows', { params, parseAs: 'blob' }))
    },
    { onDone: (file) => file && saveFile(file, `${resource}-failed-rows.csv`) },
  )
  return (
    <>
      <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
        Download failed rows
      </Button>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </>
  )
}
