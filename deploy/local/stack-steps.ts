import { errorText } from '../error-text.ts'

export type Step = {
  title: string
  /** Undefined when the step begins, its duration when it is done. */
  seconds?: number
}

/** Runs a part of the start between two reports, so that a person sees what takes time and a failure names its part. */
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
