/** The form in which two e-mail addresses are compared: case and Unicode composition do not tell them apart. */
export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase()
