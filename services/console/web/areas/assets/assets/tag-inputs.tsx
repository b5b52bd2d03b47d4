import { Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { FieldMessages } from '../../../parts/load/failure.ts'
import { TAG_TYPE_CHOICES, tagTypeOf } from '../../../parts/things/tag-types.ts'
import type { NewTag } from './asset-fields.ts'

type Props = { tags: readonly NewTag[]; onChange: (tags: NewTag[]) => void; errors: FieldMessages }

/** Rows of tags for a new asset. `errors` has keys such as `tags[0].value`. */
export function TagInputs({ tags, onChange, errors }: Props) {
  const change = (at: number, changed: Partial<NewTag>) =>
    onChange(tags.map((tag, i) => (i === at ? { ...tag, ...changed } : tag)))
  return (
    <Fieldset legend="Tags">
      <Stack gap="xs">
        {tags.map((tag, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the index identifies a row; its value changes by typing
          <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
            <NativeSelect
              aria-label={`Type of tag ${at + 1}`}
              data={TAG_TYPE_CHOICES}
              value={tag.tag_type}
              onChange={(event) => change(at, { tag_type: tagTypeOf(event.currentTarget.value) ?? 'rfid' })}
              error={errors[`tags[${at}].tag_type`]}
              w={120}
            />
            <TextInput
              aria-label={`Value of tag ${at + 1}`}
              placeholder="Tag value"
              value={tag.value}
              onChange={(event) => change(at, { value: event.currentTarget.value })}
              error={errors[`tags[${at}].value`]}
              style={{ flex: 1 }}
              styles={{ input: { fontFamily: 'monospace' } }}
            />
            <Button
              variant="default"
              aria-label={`Remove tag ${at + 1}`}
              onClick={() => onChange(tags.filter((_, i) => i !== at))}
            >
              Remove
            </Button>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            onClick={() => onChange([...tags, { tag_type: tags.at(-1)?.tag_type ?? 'rfid', value: '' }])}
          >
            Add tag
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
