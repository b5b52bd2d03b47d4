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

export const readGroups = (): Group[] =>
  (parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: Group[] }).groups

/** This group needs exporters of other programs. */
export const EXPORTERS_GROUP = 'whereabouts-exporters'

export const isAlert = (rule: Alert | Recording): rule is Alert => 'alert' in rule

export const readAlerts = (): Alert[] => readGroups().flatMap(({ rules }) => rules.filter(isAlert))

/** The threshold of an alert, which a panel draws as a line. Throws where there is none. */
export function thresholdOf(name: string): number {
  const rule = readAlerts().find(({ alert }) => alert === name)
  if (!rule) throw new Error(`there is no alert ${name}`)
  // The first condition holds the threshold; those after `and` limit when the alert counts.
  const [condition = ''] = rule.expr.split(/\nand\b/)
  const found = /[<>]=?\s*(?:([\d.]+)\s*\*\s*)?([\d.]+(?:e\d+)?)\s*\)?\s*$/m.exec(condition)
  if (!found) throw new Error(`${name} has no threshold`)
  return Number(found[1] ?? 1) * Number(found[2])
}
