/** The form in which the API compares texts: NFKC without case, and a final sigma as any sigma (D19.2). */
export const compared = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')

export const contains = (text: string, part: string): boolean => compared(text).includes(compared(part))
