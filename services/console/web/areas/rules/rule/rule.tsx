import { Grid, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { FormPage } from './form-page.tsx'
import { combined } from '../../../parts/load/combined-query.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useRead } from '../../../parts/load/use-read.ts'
import { BackLink } from '../../../parts/page/back-link.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { wordsFor } from '../../../parts/things/known.ts'
import { api } from '../../../session/api.ts'
import { ViewersNote } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'
import { type Rule, sentenceOf } from '../words/sentence.ts'
import { severityName } from '../words/severities.ts'
import { type FindNamed, useNames } from '../words/use-names.ts'
import {
  bodyOf,
  changesOf,
  type Draft,
  draftOf,
  isComplete,
  namesIn,
  NEW_RULE,
  statementOf,
} from './draft.ts'
import { EXAMPLES } from './examples.ts'
import { RuleForm } from './rule-form.tsx'
import { Zone } from './schedule-part.tsx'

const PreviewCard = lazy(() => import('./later/preview-card.tsx'))
const TestRule = lazy(() => import('./later/test-rule.tsx'))

const NO_RULE = { name: 'rule', list: 'All rules', to: '/rules' }

/** A new rule, or one that exists, with a preview beside it. */
export default function RuleScreen() {
  const { ruleId }: { ruleId?: string } = useParams({ strict: false })
  return ruleId === 'new' ? <NewRule /> : <StoredRule key={ruleId} id={Number(ruleId)} />
}

function NewRule() {
  const [{ example }] = useUrlState({ example: '' })
  const draft = wordsFor(EXAMPLES, example)?.draft ?? NEW_RULE
  return (
    <Screen title="New rule" lead={<BackLink list="All rules" to="/rules" />}>
      <Edited
        given={draft}
        label="Create rule"
        work={(next, query) => api.post('/api/v1/rules', { body: bodyOf(next), query })}
      />
    </Screen>
  )
}

function StoredRule({ id }: { id: number }) {
  const path = { rule_id: id }
  const rule = useRead(['rules', id], '/api/v1/rules/{rule_id}', { path })
  const names = useNames(rule.data && [rule.data])
  return (
    <Screen title={rule.data?.name ?? 'Rule'} lead={<BackLink list="All rules" to="/rules" />}>
      <Loaded query={combined({ rule, names })} what="the rule" missing={NO_RULE}>
        {(data) => <Stored rule={data.rule} find={data.names} />}
      </Loaded>
    </Screen>
  )
}

function Stored({ rule, find }: { rule: Rule; find: FindNamed }) {
  // As it was when the form opened: what others save meanwhile in other fields stays.
  const [given] = useState(() =>
    draftOf(rule, (thing, id) => find(thing, id) ?? { id, name: `Deleted ${thing}`, external_key: `${id}` }),
  )
  const { isAdmin } = useSession()
  return (
    <>
      <Edited
        given={given}
        label="Save"
        work={(next, query) =>
          api.patch('/api/v1/rules/{rule_id}', {
            path: { rule_id: rule.id },
            body: changesOf(given, next),
            query,
          })
        }
      />
      {isAdmin && (
        <Suspense>
          <TestRule id={rule.id} />
        </Suspense>
      )}
    </>
  )
}

type Props = {
  given: Draft
  label: string
  work: (draft: Draft, query: { raise_existing?: boolean }) => Promise<unknown>
}

function Edited({ given, label, work }: Props) {
  const { canWrite } = useSession()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(given)
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        {canWrite ? (
          <FormPage>
            <RuleForm
              label={label}
              draft={draft}
              onDraft={setDraft}
              work={(query) => work(draft, query)}
              onDone={() => {
                notifications.show({ color: 'green', message: 'Rule saved.' })
                void navigate({ to: '/rules' })
              }}
            />
          </FormPage>
        ) : (
          <RuleInWords draft={draft} />
        )}
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Suspense>
          <PreviewCard statement={isComplete(draft) ? statementOf(draft) : undefined} />
        </Suspense>
      </Grid.Col>
    </Grid>
  )
}

/** For viewers, who change nothing. */
const RuleInWords = ({ draft }: { draft: Draft }) => (
  <Card title="Rule">
    <Text fw={600}>{sentenceOf(statementOf(draft), namesIn(draft))}</Text>
    <Text size="sm">{`Severity: ${severityName(draft.severity)}`}</Text>
    <Zone />
    <ViewersNote />
  </Card>
)
