import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ALERTS = join(import.meta.dirname, '../monitoring/alerts.yaml')

/** Generated, because kustomize cannot wrap a file. */
export const RULE_FILE = join(import.meta.dirname, '../../k8s/base/monitoring/prometheus-rule.yaml')

const HEAD = `# Generated from deploy/monitoring/alerts.yaml by deploy/monitoring/generate.ts. Edit that file.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: whereabouts
spec:
`

/** The alerts of deploy/monitoring for the operator of Prometheus; `node deploy/monitoring/generate.ts` writes them. */
export function prometheusRule(): string {
  const text = readFileSync(ALERTS, 'utf8')
  const groups = text.slice(text.search(/^groups:/m))
  return HEAD + groups.replaceAll(/^(?=.)/gm, '  ')
}
