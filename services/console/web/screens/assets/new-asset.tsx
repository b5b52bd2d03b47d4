import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { unwrap, type components } from '@whereabouts/client/client'
import { useState } from 'react'
import type { FieldMessages } from '../../parts/failure.ts'
import { FormModal } from '../../parts/form-modal.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { ASSET_FIELDS, AssetFields } from './asset-fields.tsx'
import { createBody, EMPTY, type NewTag } from './asset-values.ts'
import { TagInputs } from './tag-inputs.tsx'

type Props = { isOpen: boolean; onClose: () => void }

export function NewAsset({ isOpen, onClose }: Props) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title="New asset" size="lg">
      <NewAssetForm onCancel={onClose} />
    </FormModal>
  )
}

function NewAssetForm({ onCancel }: { onCancel: () => void }) {
  const [values, setValues] = useState(EMPTY)
  const [externalKey, setExternalKey] = useState('')
  const [tags, setTags] = useState<NewTag[]>([])
  const [problems, setProblems] = useState<FieldMessages>({})
  const navigate = useNavigate()
  const send = useSend(
    async (body: components['schemas']['AssetCreate']) =>
      unwrap(await api.POST('/api/v1/assets', { body })).data,
    {
      reload: [['assets']],
      onDone: ({ id }) => void navigate({ to: `/assets/${id}` }),
    },
  )
  const submit = () => {
    // The rows that are sent are the rows that are shown: messages of the API name them by their place.
    const given = tags.filter(({ value }) => value !== '')
    setTags(given)
    const ready = createBody(values, externalKey, given)
    setProblems('problems' in ready ? ready.problems : {})
    if ('body' in ready) send.send(ready.body)
  }
  const errors = { ...send.fields, ...problems }
  const tagFields = tags.flatMap((_, at) => [`tags[${at}].tag_type`, `tags[${at}].value`])
  return (
    <SendForm
      send={send}
      label="Create the asset"
      onSubmit={submit}
      onCancel={onCancel}
      shownFields={[...ASSET_FIELDS, 'external_key', ...tagFields]}
    >
      <AssetFields
        values={values}
        onChange={(change) => setValues((before) => ({ ...before, ...change }))}
        errors={errors}
      >
        <TextInput
          label="External key"
          description="What your other systems call it: letters, digits and hyphens. Left empty, it gets the next free number, like ASSET-0001."
          value={externalKey}
          onChange={(event) => setExternalKey(event.currentTarget.value)}
          error={errors['external_key']}
          spellCheck={false}
        />
        <TagInputs tags={tags} onChange={setTags} errors={errors} />
      </AssetFields>
    </SendForm>
  )
}
