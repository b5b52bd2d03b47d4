/** The picture of `public/icon.svg`, without a request. `size` in pixels. */
export const Logo = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden>
    <path fill="#0b7174" d="M16 2a11 11 0 0 0-11 11c0 8 11 17 11 17s11-9 11-17A11 11 0 0 0 16 2z" />
    <circle cx="16" cy="13" r="4.5" fill="#fff" />
  </svg>
)
