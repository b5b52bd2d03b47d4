import type { VisitReportQuery, VisitReportRow } from '@whereabouts/contracts/resources/tracking/visits'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { ReportDeps } from '../reports/deps.ts'
import { cut, cutByDay, Totals, type Span } from './report.ts'
import { daysOf, reportWindow } from './report-window.ts'
import { eachSpan } from './spans.ts'
import { thingOf, wantedOf } from './visits.handlers.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'view' | 'now'> & { zoneOf: (orgId: number) => string }
type GroupBy = VisitReportQuery['group_by']
type Group = number | string

export const visitReportHandlers = ({
  longReads,
  view,
  zoneOf,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'reportVisits'> => ({
  async reportVisits({ principal: { orgId }, query }) {
    const { group_by: groupBy, limit, offset, limit_seconds } = query
    const window = reportWindow(query, now())
    const { places, assetIds } = wantedOf(view, orgId, query)
    const totals = new Totals<Group>()
    const days = groupBy === 'day' ? daysOf(window, zoneOf(orgId)) : []
    const take = (span: Span) => {
      const part = cut(span, window)
      if (!part) return
      if (groupBy === 'day') for (const [date, ofDay] of cutByDay(part, days)) totals.add(date, ofDay)
      else totals.add(groupOf(view, orgId, groupBy, part), part)
    }
    await eachSpan({ db: longReads.forOrg(orgId), orgId, places }, { window, assetIds }, take)
    const found = totals.figures(limit_seconds).toSorted(groupBy === 'day' ? byGroup : byTotal)
    const data = found
      .slice(offset, offset + limit)
      .map(([group, figures]): VisitReportRow =>
        Object.assign(figures, { group: named(view, orgId, groupBy, group) }),
      )
    return { data, limit, offset, total_count: found.length }
  },
})

function groupOf(view: CatalogView, orgId: number, groupBy: GroupBy, { assetId, place }: Span): Group {
  if (groupBy === 'location') return place
  return groupBy === 'asset' ? assetId : view.types.typeOf(orgId, assetId)
}

type Row = readonly [Group, { seconds_total: number }]
const byGroup = ([a]: Row, [b]: Row) => (a < b ? -1 : a > b ? 1 : 0)
const byTotal = (a: Row, b: Row) => b[1].seconds_total - a[1].seconds_total || byGroup(a, b)

function named(view: CatalogView, orgId: number, groupBy: GroupBy, group: Group): VisitReportRow['group'] {
  if (typeof group === 'string') return { id: null, external_key: null, name: group }
  return thingOf(group, groupBy === 'asset' ? view.asset(orgId, group) : view.location(orgId, group))
}
