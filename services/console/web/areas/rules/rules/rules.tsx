import { Button, Group } from '@mantine/core'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { ForMembers } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'
import { EXAMPLES } from '../rule/examples.ts'
import { NAMED } from '../words/sentence.ts'
import { useNames } from '../words/use-names.ts'
import { columnsOf } from './rule-columns.tsx'
import { RULES_DEFAULTS, useRules } from './use-rules.ts'

/** What the organization wants to be told. */
export default function Rules() {
  const { canWrite } = useSession()
  const [url, setUrl] = useUrlState(RULES_DEFAULTS)
  const rules = useRules(url)
  const { data: find } = useNames(rules.data?.data, NAMED)
  const columns = useMemo(
    () => columnsOf((thing, id) => (find ? find(thing, id)?.name : '…'), canWrite),
    [find, canWrite],
  )
  return (
    <Screen
      title="Rules"
      lead="What to tell, so that nobody has to watch a map all day."
      actions={
        <ForMembers isExplained>
          <Button component={Link} to="/rules/new" leftSection={<Icon of={IconPlus} size={16} />}>
            New rule
          </Button>
        </ForMembers>
      }
    >
      <SearchBox label="Search" maw={360} value={url.q} onChange={(q) => setUrl({ q, offset: '0' })} />
      <PagedTable
        label="Rules"
        query={rules}
        what="rules"
        columns={columns}
        rowKey={({ id }) => id}
        sorting={{ sort: url.sort, onSort: (sort) => setUrl({ sort, offset: '0' }) }}
        minWidth={760}
        empty={
          url.q === '' ? (
            <NoRule />
          ) : (
            <EmptyState title="No matching rules">Search for another name.</EmptyState>
          )
        }
        offset={url.offset}
        onOffset={(offset) => setUrl({ offset })}
      />
    </Screen>
  )
}

const NoRule = () => (
  <EmptyState
    title="No rules yet"
    action={
      <ForMembers>
        <Group justify="center" gap="xs">
          {Object.entries(EXAMPLES).map(([key, { label }]) => (
            <Button
              key={key}
              variant="default"
              component={Link}
              to="/rules/new"
              search={() => ({ example: key }) as never}
            >
              {label}
            </Button>
          ))}
        </Group>
      </ForMembers>
    }
  >
    A rule raises an alert when something happens, or does not happen. Begin with one of these, and see what
    it would have told in the past days.
  </EmptyState>
)
