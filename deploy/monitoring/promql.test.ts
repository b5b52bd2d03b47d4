import { expect, test } from 'vitest'
import { groupedBy, selectedBy } from './promql.fixture.ts'

test('of a query, the metrics with the labels they are selected by', () => {
  const query = `sum by (le, service) (rate(a_bucket{service="x",status=~"5..|429",kind!="y"}[5m] offset 1h))
    / on (service) group_left (z) b:ratio_rate5m > 3 * 0.1 and time() - c > 1e9`
  expect(selectedBy(query)).toEqual([
    { metric: 'a_bucket', labels: { service: ['x'], status: ['429'], kind: ['y'] } },
    { metric: 'b:ratio_rate5m', labels: {} },
    { metric: 'c', labels: {} },
  ])
  expect(groupedBy(query)).toEqual(['le', 'service', 'service', 'z'])
})
