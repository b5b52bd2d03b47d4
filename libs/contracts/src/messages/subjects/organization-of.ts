/** `<stream>.<org>…` or `<stream>.<kind>.<org>…`; in scans, the organization is always the first part. */
const SUBJECT =
  /^(?:(?:\$MQTT\.msgs\.)?scans(?:\.replayed)?|(?!scans\.)[a-z]+(?:\.[a-z-]+)?)\.([1-9]\d{0,15})(?:\.|$)/

/** The organization in the subject of a message, if any. */
export function organizationOf(subject: string): number | undefined {
  const org = SUBJECT.exec(subject)?.[1]
  return org === undefined ? undefined : Number(org)
}
