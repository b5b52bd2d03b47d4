import { NativeSelect, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useContext } from 'react'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { UnsavedContext } from '../../../parts/form/unsaved.ts'
import { SEVERITIES } from '../words/severities.ts'
import { sentenceOf } from '../words/sentence.ts'
import { checksOf, type Draft, namesIn, nameOfDraft, statementOf } from './draft.ts'
import { useRaising } from './existing-question.tsx'
import { SchedulePart } from './schedule-part.tsx'
import { Optional, SentencePart } from './sentence-part.tsx'

const WhoIsTold = lazy(() => import('./later/who-is-told.tsx'))

type Props = {
  label: string
  draft: Draft
  onDraft: (draft: Draft) => void
  work: (query: { raise_existing?: boolean }) => Promise<unknown>
  onDone: () => void
}

/** The fields whose messages are beside their inputs. */
const SHOWN = /^(?:name$|severity$|scope\.|params\.|for_seconds$|schedule\.|notify\.)/

/** A rule as a sentence that a person completes. */
export function RuleForm({ label, draft, onDraft, work, onDone }: Props) {
  const unsaved = useContext(UnsavedContext)
  const checks = checksOf(draft)
  const { send, question } = useRaising(work, {
    check: () => checks,
    reload: [['rules'], ['alerts']],
    onDone,
  })
  const change = (part: Partial<Draft>) => {
    unsaved?.setUnsaved(true)
    onDraft({ ...draft, ...part })
  }
  // The API names the item: scope.asset_ids[2], scope.metadata.kind. What is filled in since is not missing any more.
  const problem = (field: string) => {
    const said = Object.entries(send.fields).find(
      ([name]) => name === field || (name.startsWith(field) && '[.'.includes(name.charAt(field.length))),
    )
    return said && send.error === undefined ? checks[field] : said?.[1]
  }
  const part = { draft, onChange: change, problem }
  return (
    <>
      <SendForm
        send={send}
        label={label}
        onSubmit={() => send.send(undefined)}
        shownFields={Object.keys(send.fields).filter((field) => SHOWN.test(field))}
        isAtThumb
      >
        <Text fw={600} role="status" style={{ overflowWrap: 'anywhere' }}>
          {sentenceOf(statementOf(draft), namesIn(draft))}
        </Text>
        <SentencePart {...part} />
        <Optional
          label="Only if it holds for a time"
          description="A break in between begins the time again."
          inputLabel="Holds for"
          value={draft.holds}
          onChange={(holds) => change({ holds })}
          error={problem('for_seconds')}
        />
        <SchedulePart {...part} />
        <NativeSelect
          label="Severity"
          data={[...SEVERITIES]}
          value={draft.severity}
          onChange={({ currentTarget }) => change({ severity: currentTarget.value })}
          error={problem('severity')}
        />
        <TextInput
          label="Name"
          description="Follows the sentence until you type one."
          {...send.entry('name', nameOfDraft(draft), (name) => change({ name: name === '' ? null : name }))}
          required
        />
        <Suspense>
          <WhoIsTold value={draft.notify} onChange={(notify) => change({ notify })} problem={problem} />
        </Suspense>
      </SendForm>
      {question}
    </>
  )
}
