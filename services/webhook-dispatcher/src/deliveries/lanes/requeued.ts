/** The process stops before the delivery has ended. Its message goes back to the stream. */
export class Requeued extends Error {
  override readonly name = 'Requeued'
  constructor() {
    super('delivery was requeued')
  }
}
