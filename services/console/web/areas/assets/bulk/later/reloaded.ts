/** Prefixes of the query keys that have data of any asset. */
export const RELOADED = [['asset'], ['assets'], ['report'], ['occupancy']] as const
