import { Group, NativeSelect, Paper, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import {
  asksTimes,
  bodyOf,
  datasetOf,
  DATASETS,
  FORMATS,
  missingIn,
  NEW_DRAFT,
  SPANS,
} from './export-texts.ts'
import { beginExport, tooManyExports } from './use-exports.ts'

/** Begins an export, and shows it. */
export function NewExport() {
  const [draft, setDraft] = useState(NEW_DRAFT)
  const navigate = useNavigate()
  const send = useSend(() => beginExport(bodyOf(draft, Date.now())), {
    reload: [['exports', 'list']],
    check: () => missingIn(draft),
    onDone: ({ id }) => void navigate({ to: `/exports/${id}` }),
    explain: tooManyExports,
  })
  const change = (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed })
  const dataset = datasetOf(draft.dataset)
  return (
    <Paper withBorder p="md">
      <SendForm send={send} label="Begin export" shownFields={asksTimes(draft) ? ['from', 'to'] : []}>
        <Group align="flex-start">
          <NativeSelect
            label="What"
            description={dataset?.help}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={DATASETS.map(({ value, label }) => ({ value, label }))}
            value={draft.dataset}
            onChange={({ currentTarget: { value } }) =>
              change({ dataset: datasetOf(value)?.value ?? 'history' })
            }
          />
          <NativeSelect
            label="Format"
            data={[...FORMATS]}
            value={draft.format}
            onChange={({ currentTarget: { value } }) =>
              change({ format: FORMATS.find((known) => known.value === value)?.value ?? 'csv' })
            }
          />
          {dataset?.hasTimes === true && (
            <NativeSelect
              label="Time"
              data={[...SPANS]}
              value={draft.span}
              onChange={({ currentTarget: { value: span } }) => change({ span })}
            />
          )}
        </Group>
        {asksTimes(draft) && (
          <Group align="flex-start">
            <TextInput
              label="From"
              type="datetime-local"
              {...send.entry('from', draft.from, (from) => change({ from }))}
            />
            <TextInput
              label="To"
              type="datetime-local"
              {...send.entry('to', draft.to, (to) => change({ to }))}
            />
          </Group>
        )}
      </SendForm>
    </Paper>
  )
}
