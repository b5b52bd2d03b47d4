/** What shows something of a location, by the beginnings of their keys. */
export const RELOADED = [['location'], ['locations'], ['report'], ['occupancy']] as const
