import { z } from 'zod'
import { echoed } from '../../rules/echo.ts'
import { BY_DATABASE, writable, type Fields } from '../../rules/fields.ts'
import { Id } from '../../rules/ids.ts'
import { WindowInstant, WireInstant } from '../../rules/instant.ts'
import { MAX_TAGS, TagCreate, TagView } from './tags.ts'
import { Description, Name, NamePatch, NaturalKey } from '../../rules/text.ts'

/** The first fields of assets and locations, with their own examples. */
export const namedFields = (example: { key: string; name: string }) =>
  ({
    id: { view: Id, patch: echoed.id, column: 'bigint', default: BY_DATABASE },
    external_key: {
      view: z.string().meta({ example: example.key }),
      create: NaturalKey.meta({ example: example.key }).optional(),
      patch: echoed.external_key,
      column: 'text',
      imported: true,
    },
    name: {
      view: z.string().meta({ example: example.name }),
      create: Name,
      patch: NamePatch.optional(),
      writable: true,
      column: 'text',
      imported: true,
    },
    description: {
      view: z.string().nullable(),
      ...writable(Description.nullable().optional()),
      column: 'text',
      default: null,
      imported: true,
    },
  }) as const satisfies Fields

/** The last fields of assets and locations. */
export const lifetimeFields = {
  is_active: {
    view: z.boolean(),
    ...writable(z.boolean().optional()),
    column: 'boolean',
    default: true,
    imported: true,
  },
  valid_from: {
    view: WireInstant,
    ...writable(WindowInstant.optional()),
    column: 'timestamptz',
    default: BY_DATABASE,
    imported: true,
  },
  valid_to: {
    view: WireInstant.nullable(),
    ...writable(WindowInstant.nullable().optional()),
    column: 'timestamptz',
    default: null,
    imported: true,
  },
  created_at: {
    view: WireInstant,
    patch: echoed.created_at,
    column: 'timestamptz',
    default: BY_DATABASE,
  },
  updated_at: {
    view: WireInstant,
    patch: echoed.updated_at,
    column: 'timestamptz',
    default: BY_DATABASE,
  },
  deleted_at: {
    view: WireInstant.nullable(),
    patch: echoed.deleted_at,
    column: 'timestamptz',
    default: null,
  },
  tags: {
    view: z.array(TagView),
    create: z.array(TagCreate).max(MAX_TAGS).nullable().optional(),
    patch: echoed.tags,
  },
} as const satisfies Fields
