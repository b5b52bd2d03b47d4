/** The delivery was not ended, because this process stops: its message goes back to the stream. */
export class HandedBack extends Error {
  override readonly name = 'HandedBack'
  constructor() {
    super('handed back to the stream')
  }
}
