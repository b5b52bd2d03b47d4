import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const ALERTS_FILE = join(import.meta.dirname, 'alerts.yaml')

export type Alert = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: Record<string, string>
}
type Recording = { record: string; expr: string }
type Group = { name: string; rules: (Alert | Recording)[] }

/** The groups of alerts.yaml, as they are. */
export const readGroups = (): Group[] =>
  (parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: Group[] }).groups

/** The last group needs other programs' exporters. */
export const EXPORTERS_GROUP = 'whereabouts-exporters'

export const isAlert = (rule: Alert | Recording): rule is Alert => 'alert' in rule

export const readAlerts = (): Alert[] => readGroups().flatMap(({ rules }) => rules.filter(isAlert))

/** The number that an alert's last comparison compares with: what a panel draws a line at. Throws where there is none. */
export function thresholdOf(name: string): number {
  const rule = readAlerts().find(({ alert }) => alert === name)
  if (!rule) throw new Error(`there is no alert ${name}`)
  // Of several conditions the first is what the alert is about; those behind `and` say when it counts.
  const [condition = ''] = rule.expr.split(/\nand\b/)
  const found = /[<>]=?\s*(?:([\d.]+)\s*\*\s*)?([\d.]+(?:e\d+)?)\s*\)?\s*$/m.exec(condition)
  if (!found) throw new Error(`${name} compares with no number`)
  return Number(found[1] ?? 1) * Number(found[2])
}
