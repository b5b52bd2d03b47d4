import type { ServiceName } from '@whereabouts/deploy/installation/services'
import { inject } from 'vitest'

/** The system that all operator files share. */
export const { urls, secrets, dataDir } = inject('place')
export const receiverUrl = inject('receiver')

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(`${inject('control')}/${path}`, { method: 'POST' })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as T
}

/** Resolves when the process has ended. */
export const stopService = (name: ServiceName) => ask<null>(`${name}/stop`)
/** Resolves when the service is ready; it keeps its ports. */
export const restartService = (name: ServiceName) => ask<null>(`${name}/restart`)
/** Every webhook delivery so far, oldest first. */
export const received = () => ask<{ path: string; body: string }[]>('received')
