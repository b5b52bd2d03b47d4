/** Prefixes of the query keys that contain data of a location. */
export const RELOADED = [['location'], ['locations'], ['report'], ['occupancy']] as const
