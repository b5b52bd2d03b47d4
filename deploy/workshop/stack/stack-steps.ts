import { errorText } from '../../error-text.ts'

export type Step = {
  title: string
  /** The duration, at the end of the step. */
  seconds?: number
}

/** Runs a step of the start and reports its begin and end. A failure names the step. */
export async function runStep<T>(
  title: string,
  onStep: (step: Step) => void,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  onStep({ title })
  try {
    const result = await work()
    onStep({ title, seconds: (performance.now() - startedAt) / 1000 })
    return result
  } catch (cause) {
    throw new Error(`${title} failed: ${errorText(cause)}`, { cause })
  }
}
