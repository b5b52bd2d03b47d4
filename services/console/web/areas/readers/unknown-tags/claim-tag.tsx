import { Code, Radio, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { atMost, filled, firstOf } from '../../../parts/form/checks.ts'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { type TagType, tagTypeLabel } from '../../../parts/things/tag-types.ts'
import { AssetPicker, type PickedAsset } from '../../../parts/form/asset-picker.tsx'
import { shownValue } from '../../../parts/things/tag-values.ts'

type UnknownTag = components['schemas']['UnknownTag']

type ReadTag = Pick<UnknownTag, 'tag_type' | 'value' | 'reader_key' | 'ibeacon'>

type Props = { tag: ReadTag; onAttached: () => void; onClose: () => void }
type Owner = 'existing' | 'new'

/** Attaches an unknown tag to an existing or new asset. */
export function ClaimTag({ tag, onAttached, onClose }: Props) {
  const [owner, setOwner] = useState<Owner>('existing')
  const [asset, setAsset] = useState<PickedAsset | null>(null)
  const [name, setName] = useState('')
  const [value, setValue] = useState(tag.value)
  const send = useSend(
    async () => {
      // A newer API may have more types; it validates them.
      const named = { tag_type: value === tag.ibeacon ? 'ble' : (tag.tag_type as TagType), value }
      if (owner === 'new')
        return (await api.post('/api/v1/assets', { body: { name: name.trim(), tags: [named] } })).name
      await api.post('/api/v1/unknown-tags/claim', { body: { ...named, asset_id: asset?.id ?? 0 } })
      return asset?.name ?? ''
    },
    {
      check: () => ({
        asset_id: owner === 'existing' && asset === null ? 'Choose an asset.' : undefined,
        name: owner === 'new' ? firstOf(filled(name, 'Enter a name.'), atMost(name, 255)) : undefined,
      }),
      reload: [['unknown-tags'], ['assets']],
      onDone: (owned) => {
        notifications.show({ message: `Assigned ${shownValue(value)} to ${owned}.` })
        onAttached()
        onClose()
      },
    },
  )
  return (
    <FormModal opened onClose={onClose} title="Assign tag">
      <SendForm
        send={send}
        label={owner === 'new' ? 'Create asset' : 'Assign tag'}
        onCancel={onClose}
        shownFields={['name', 'asset_id']}
      >
        <Stack gap="sm">
          <Text size="sm">
            {`The ${tagTypeLabel(tag.tag_type)} tag `}
            <Code>{shownValue(tag.value)}</Code>
            {` was last read by ${tag.reader_key}.`}
          </Text>
          <SegmentedControl
            aria-label="Assign tag to"
            fullWidth
            data={[
              { value: 'existing', label: 'Existing asset' },
              { value: 'new', label: 'New asset' },
            ]}
            value={owner}
            onChange={(chosen) => setOwner(chosen === 'new' ? 'new' : 'existing')}
          />
          {owner === 'existing' ? (
            <AssetPicker isRequired value={asset} onChange={setAsset} error={send.fields['asset_id']} />
          ) : (
            <TextInput label="Name" {...send.entry('name', name, setName)} autoComplete="off" required />
          )}
          {tag.ibeacon !== null && tag.ibeacon !== tag.value && (
            <Radio.Group
              label="Identify by"
              description="Choose iBeacon if the beacon rotates its address."
              value={value}
              onChange={setValue}
            >
              <Stack gap={6} mt={6}>
                <Radio
                  value={tag.value}
                  label={`${tag.tag_type === 'ble' ? 'Address' : 'Value'} ${tag.value}`}
                />
                <Radio value={tag.ibeacon} label={`iBeacon ${tag.ibeacon}`} />
              </Stack>
            </Radio.Group>
          )}
        </Stack>
      </SendForm>
    </FormModal>
  )
}
