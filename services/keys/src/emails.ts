/** The form for comparisons of e-mail addresses: without differences of case and Unicode composition. */
export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase()
