/** Of the package that integrators install. */
export const VERSION = '1.0.0'
