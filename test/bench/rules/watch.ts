import type { RuleCreate } from '@whereabouts/contracts/resources/rules/rules'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'

/** Asks tracking directly, as an administrator of the organization, with a principal signed like the gateway's. */
export type Caller = (path: string, body: object) => Promise<{ status: number; text: string }>

export async function callerOf(stack: Stack, orgId: number): Promise<Caller> {
  const principal = { kind: 'session' as const, orgId, scopes: [], userId: 1, role: 'admin' as const }
  const signed = await headersSignedWith(stack.secrets.principal_private_key, principal, 'tracking')
  const headers = { ...signed, 'content-type': 'application/json' }
  return async (path, body) => {
    const url = `${stack.urls.api.tracking}/api/v1${path}`
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: reply.status, text: await reply.text() }
  }
}

const HOUR = 3_600

/** What a site watches at one place, by turns. `assetIds`: those that it watches alone. */
export function rulesOf(places: readonly number[], assetIds: readonly number[]): RuleCreate[] {
  const kinds: ((place: number) => Pick<RuleCreate, 'kind' | 'scope'> & Partial<RuleCreate>)[] = [
    (place) => ({ kind: 'stayed_longer_than', scope: { location_ids: [place] }, params: { seconds: 48 * HOUR } }),
    (place) => ({ kind: 'entered', scope: { location_ids: [place], asset_ids: [...assetIds] } }),
    (place) => ({ kind: 'left', scope: { location_ids: [place], asset_types: ['person'] } }),
    (place) => ({ kind: 'not_seen_for', scope: { location_ids: [place] }, params: { seconds: 72 * HOUR } }),
    (place) => ({ kind: 'entered', scope: { location_ids: [place] }, for_seconds: 12 * HOUR }),
  ] // oxfmt-ignore
  return places.flatMap((place, i) => {
    const rule = kinds[i % kinds.length]?.(place)
    return rule ? [{ name: `Rule ${i + 1}`, params: {}, ...rule }] : []
  })
}

/** Stores rules. Throws the answer if one is refused. */
export async function makeRules(ask: Caller, rules: readonly RuleCreate[]): Promise<void> {
  for (const rule of rules) {
    const { status, text } = await ask('/rules?raise_existing=false', rule)
    if (status !== 201) throw new Error(`the rule ${JSON.stringify(rule)} was refused: ${text}`)
  }
}
