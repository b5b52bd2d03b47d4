import type { Selectable } from 'kysely'
import type { Tables } from '../../db.ts'

export type RuleRow = Selectable<Tables['rule']>
