import { useNavigate } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { api } from '../../../session/api.ts'
import { ASSET_FIELDS, type NewTag } from './asset-fields.ts'
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
  const [tags, setTags] = useState<NewTag[]>([])
  const navigate = useNavigate()
  const create = async (body: components['schemas']['AssetCreate']) => {
    // Removes empty rows also from the screen: messages of the API identify a tag by its index.
    const given = tags.filter(({ value }) => value !== '')
    setTags(given)
    const withTags = given.length > 0 ? { ...body, tags: given } : body
    return api.post('/api/v1/assets', { body: withTags })
  }
  return (
    <ResourceForm
      fields={ASSET_FIELDS}
      label="Create asset"
      request={create}
      reload={[['assets']]}
      onDone={(asset) => asset && void navigate({ to: `/assets/${asset.id}` })}
      onCancel={onCancel}
      more={{
        fields: tags.flatMap((_, at) => [`tags[${at}].tag_type`, `tags[${at}].value`]),
        renderInputs: (errors) => <TagInputs tags={tags} onChange={setTags} errors={errors} />,
      }}
    />
  )
}
