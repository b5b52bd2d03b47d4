import '@mantine/spotlight/styles.css'
import './finder.css'
import { Text, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from 'react'
import { failureOf } from '../../parts/load/failure.ts'
import { Icon } from '../../parts/page/icon.tsx'
import { useVisits } from '../../parts/page/visits.ts'
import { want } from '../../parts/load/wanted.ts'
import type { KeptKeys } from '../../shell/kept-keys.ts'
import { useSession } from '../../session/use-session.ts'
import { groupsOf, type Hit, isExact, isOwn, NOTHING, type Found } from './hits.ts'
import { lookUp } from '../../parts/load/lookups.ts'
import { api } from '../../session/api.ts'

/** Shorter than a person takes for a key, longer than a scanner. */
const TYPING_MS = 40
const [store, spotlight] = createSpotlight()

/** The types of the list leave it out. Keyboard users must be able to focus what scrolls. */
const VIEWPORT: object = { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Results' } }

type Props = {
  /** What was typed before the field was there. */
  takeTyped: KeptKeys['take']
  onClosed: () => void
}

/** Finds things, screens and actions from anywhere. Open while it is mounted. */
export default function Finder({ takeTyped, onClosed }: Props) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const { hits, groups, message, isPending } = useHits(typed)
  const rights = useSession()
  const { selected } = useSpotlight(store)
  const [, redraw] = useReducer((keys: number) => keys + 1, 0) // the store is silent about arrow keys
  const navigate = useNavigate()
  const [before] = useState(() => document.activeElement)
  const chosen = useRef<Hit>(undefined)
  const open = (hit: Hit) => {
    const { to, dialog } = hit
    chosen.current = hit
    void navigate({ to }).then(() => want(dialog))
    spotlight.close()
  }
  useEffect(() => spotlight.open(), [])

  const openNamed = async (value: string, own: Hit | undefined) => {
    const found = { ...NOTHING, named: await findNamed(value) }
    const [hit, ...others] = groupsOf({ text: value, found, visits: [], rights }).find(isExact)?.hits ?? []
    if (hit && others.length === 0) open(hit)
    else if (!hit && own && isOwn(own)) open(own)
  }
  /** A scanner presses Enter before the results are there: then the value must name one thing, a screen or an action. */
  const openScanned = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !isPending) return
    event.preventDefault()
    event.stopPropagation()
    void openNamed(typed, hits[selected]).catch(() => undefined) // the results show why
  }
  const goOnTyping = () => {
    const kept = takeTyped()
    const value = kept.text.trim()
    if (value === '') return
    setText(kept.text)
    const [own] = groupsOf({ text: value, found: NOTHING, visits: [], rights }).flatMap((group) => group.hits)
    if (kept.isEntered) void openNamed(value, own).catch(() => undefined)
  }
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight="min(520px, 70dvh)"
      className="finder"
      returnFocus={false}
      overlayProps={{ backgroundOpacity: 0.35 }}
      transitionProps={{
        duration: 100,
        onExited: () => {
          onClosed()
          // Once the dialog is gone: its focus trap would take the focus back.
          requestAnimationFrame(() => focusTarget(chosen.current, before)?.focus({ preventScroll: true }))
        },
      }}
      attributes={{ content: { 'aria-label': 'Find anything' } }}
    >
      <div onKeyDownCapture={openScanned}>
        <Spotlight.Search
          placeholder="Asset, location, reader, tag, screen or action"
          aria-label="Find"
          onKeyUp={redraw}
          onFocus={goOnTyping}
          size="md"
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          leftSection={<Icon of={IconSearch} />}
        />
      </div>
      <Spotlight.ActionsList {...VIEWPORT}>
        {groups.map(({ label, hits: shown }) => (
          <Spotlight.ActionsGroup key={label} label={label} role="group" aria-label={label}>
            {shown.map((hit) => (
              <Spotlight.Action
                key={hit.key}
                data-selected={hit === hits[selected] || undefined}
                label={hit.label}
                leftSection={<Icon of={hit.icon} color={hit.color} />}
                rightSection={hit.hint}
                onClick={() => open(hit)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {message !== undefined && (
          <Text size="sm" c="dimmed" p="md" ta="center" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
        )}
      </Spotlight.ActionsList>
      <Said hit={hits[selected]} message={message} />
    </Spotlight.Root>
  )
}

/** After a choice the heading of the screen, unless a dialog opens there; else what had the focus before. */
function focusTarget(chosen: Hit | undefined, before: Element | null): HTMLElement | null {
  if (!chosen) return before instanceof HTMLElement ? before : null
  return chosen.dialog === undefined ? document.querySelector('#screen-title') : null
}

/** What the text finds. Earlier results stay until the next ones are there. */
function useHits(text: string) {
  const [asked] = useDebouncedValue(text, TYPING_MS)
  const rights = useSession()
  const path = useRouterState({ select: (router) => router.location.pathname })
  const visits = useVisits().filter(({ kind, id }) => path !== `/${kind}s/${id}`)
  const enabled = asked !== ''
  // Exact matches are found by an index, so they do not wait for the others.
  const named = useQuery({
    queryKey: ['find', 'named', asked],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async () => findNamed(asked),
  })
  const found = useQuery({
    queryKey: ['find', 'parts', asked],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => findParts(asked, signal),
  })
  const groups = groupsOf({
    text,
    found: text === '' ? NOTHING : { ...(found.data ?? NOTHING), named: named.data ?? [] },
    visits,
    rights,
  })
  const hits = groups.flatMap((group) => group.hits)
  const isPending =
    text !== '' &&
    (text !== asked ||
      [named, found].some(({ isPending: isFirst, isPlaceholderData }) => isFirst || isPlaceholderData))
  const first = text === '' ? undefined : hits[0]?.key
  useEffect(() => {
    if (first !== undefined) store.setState({ ...store.getState(), selected: 0 })
  }, [first])
  return {
    hits,
    groups,
    isPending,
    message: messageOf(text, named.isError ? named : found, isPending, hits.length),
  }
}

type State = { isError: boolean; error: unknown; fetchStatus: string }

function messageOf(text: string, state: State, isPending: boolean, count: number): string | undefined {
  if (state.isError && text !== '') return failureOf(state.error).title
  if (count > 0) return undefined
  if (isPending && state.fetchStatus === 'paused') return 'You are offline.'
  return isPending ? 'Searching…' : `Nothing found for “${text}”. It can be a part of a name, a key or a tag.`
}

/** The selected line for screen readers: the focus stays in the field. */
const Said = ({ hit, message }: { hit: Hit | undefined; message: string | undefined }) => (
  <VisuallyHidden role="status">{hit ? [hit.label, hit.hint].join(' ') : message}</VisuallyHidden>
)

/** From here the indexes of the API find parts of words: one or two characters would read all rows. */
const MIN_CHARACTERS = 3

const SHOWN = 6

/** What has the text in its name, key or tags. */
async function findParts(text: string, signal?: AbortSignal): Promise<Found> {
  if (text.length < MIN_CHARACTERS) return NOTHING
  const query = { q: text, limit: SHOWN, sort: 'name' }
  const [assets, locations, readers] = await Promise.all([
    api.get('/api/v1/assets', { query, signal }),
    api.get('/api/v1/locations', { query, signal }),
    api.get('/api/v1/readers', { query: { ...query, configured: true }, signal }),
  ])
  return {
    ...NOTHING,
    assets,
    locations,
    readers,
  }
}

/** What a scan of the value would find. */
const findNamed = async (value: string) => (await lookUp([value])).get(value) ?? []
