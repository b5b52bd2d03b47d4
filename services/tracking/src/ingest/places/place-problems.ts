import type { ReaderMessageProblem } from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { NeutralRead } from '../../formats/decoder.ts'
import { deletedLocation, unknownLocation } from '../../readers/health/problem-message.ts'
import { isDeletedPlace, type Place } from './place.ts'

/** Why reads of a message have no place, where somebody can do something about it. */
export class PlaceProblems {
  #unknownKey: string | undefined
  /** Names of deleted locations by antenna. */
  #deleted: Map<number, string> | undefined

  note({ antenna, extra }: NeutralRead, place: Place): void {
    if (extra?.location !== undefined) {
      if (!place.location) this.#unknownKey ??= extra.location
    } else if (isDeletedPlace(place)) {
      this.#deleted ??= new Map()
      this.#deleted.set(antenna, place.location?.name ?? '')
    }
  }

  /** The first unknown location key, and each antenna that is assigned to a deleted location. */
  list(): ReaderMessageProblem[] {
    const deleted = [...(this.#deleted ?? [])].map(([antenna, name]) => deletedLocation(antenna, name))
    return this.#unknownKey === undefined ? deleted : [unknownLocation(this.#unknownKey), ...deleted]
  }

  /** The first of them, for the status of the reader. */
  first(): string | undefined {
    if (this.#unknownKey !== undefined) return `no location has the key "${this.#unknownKey.slice(0, 64)}"`
    return this.list()[0]?.detail
  }
}
