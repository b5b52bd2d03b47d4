import type { RouteTable, Upstream } from '@whereabouts/contracts/route'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Authenticate } from './auth/authenticator.ts'
import type { AuthenticateDevice, BearerOfDevice } from './auth/devices.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { GatewayMetrics } from './metrics.ts'

export type GatewayDeps = {
  log: Logger
  registry: Registry
  metrics: GatewayMetrics
  authenticate: Authenticate
  authenticateDevice: AuthenticateDevice
  bearerOfDevice: BearerOfDevice
  limiter: RateLimiter
  /** Whether the keys that verify access tokens were ever fetched. */
  hasSigningKeys: () => boolean
  /** Origins, without a slash at the end. */
  upstreams: Readonly<Record<Upstream | 'console', string>>
  refusedAgents: readonly string[]
  /** The address at which others reach the gateway, without a slash at the end. */
  publicUrl: string
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[]
  /**
   * `keepAlive`: how long a connection to a service may idle. `stall`: after how long without a byte the connection
   * of a file ends; two minutes by default.
   */
  timeoutsMs: { read: number; write: number; keepAlive: number; stall?: number }
  /** Of all bodies that are collected, until their requests are answered. */
  maxBodyBytesInFlight: number
  /** Open connections of one address. */
  maxConnectionsPerAddress: number
  /** The route table. */
  routes: RouteTable
  /** For reports of vulnerabilities, a URI. */
  securityContact: string | undefined
  /** When everything below /legacy/api/v1 is withdrawn; undefined while no date is set. */
  legacySunset: Date | undefined
}
