import { useRead } from './use-read.ts'

/** The signed-in person, with all their organizations. */
export const useMe = () => useRead(['me'], '/api/v1/users/me')
