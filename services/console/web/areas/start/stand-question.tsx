import { Anchor, Button, Checkbox, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { SendForm } from '../../parts/form/send-form.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { useSession } from '../../session/use-session.ts'
import { isDefault, type PresetName, PRESETS, settingsOf } from '../../parts/placement/presets.ts'
import { savePlacement, usePlacement } from '../../parts/placement/use-placement.ts'

/** Asks once how readers stand, because that decides which settings of positions fit. Without an answer nothing is set. */
export function StandQuestion() {
  const { data: placement } = usePlacement()
  const [isSkipped, setSkipped] = useState(false)
  if (placement === undefined) return null // the steps do not need it
  if (isSkipped || !isDefault(placement))
    return (
      <Text size="sm">
        {isSkipped ? 'You can set later how positions are decided: ' : 'How positions are decided is set: '}
        <Anchor component={Link} to="/positions" inherit underline="always">
          Positions
        </Anchor>
        .
      </Text>
    )
  return <Question onSkip={() => setSkipped(true)} />
}

function Question({ onSkip }: { onSkip: () => void }) {
  const { org } = useSession()
  const [chosen, setChosen] = useState<readonly PresetName[]>([])
  const settings = settingsOf(chosen)
  const isNothing = Object.keys(settings).length === 0
  const send = useSend(() => savePlacement(org.id, settings), { reload: [['placement']] })
  return (
    <SendForm
      send={send}
      label="Save answer"
      isDisabled={chosen.length === 0}
      onSubmit={() => (isNothing ? onSkip() : send.send(undefined))}
      beside={
        <Button variant="subtle" onClick={onSkip}>
          Skip
        </Button>
      }
    >
      <Checkbox.Group
        label="How do your readers stand?"
        description="Optional. Choose all that apply. It sets how positions are decided, and can be changed later."
        value={[...chosen]}
        onChange={(values) =>
          setChosen(PRESETS.map(({ name }) => name).filter((name) => values.includes(name)))
        }
      >
        <Stack gap="xs" mt={6}>
          {PRESETS.map(({ name, label, meaning }) => (
            <Checkbox key={name} value={name} label={label} description={meaning} />
          ))}
        </Stack>
      </Checkbox.Group>
    </SendForm>
  )
}
