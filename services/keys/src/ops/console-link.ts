type Where = {
  token: string
  /** Where people open the console; without it, the link lacks the address of the server. */
  consoleUrl: string | undefined
}

/** Browsers do not send the part after `#`, so that no log contains the token. */
export const linkTo = (
  screen: 'reset-password' | 'accept-invitation',
  { token, consoleUrl }: Where,
): string => `${(consoleUrl ?? '').replace(/\/+$/, '')}/${screen}#token=${token}`

export const linesOf = (link: string, consoleUrl: string | undefined): string[] => [
  link,
  ...(consoleUrl === undefined ? ['Put the address of the console in front of it, see --console.'] : []),
]
