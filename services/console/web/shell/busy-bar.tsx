import { Progress } from '@mantine/core'
import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

const NOTICED_MS = 700

/** A line below the header while something is loaded for longer than a moment, also where older data is shown meanwhile. */
export function BusyBar() {
  const isBusy = useIsFetching() > 0
  return isBusy ? <LateBar /> : null
}

/** Mounted for as long as something is loaded. */
function LateBar() {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return <Progress value={100} size={3} radius={0} striped animated aria-label="Loading" className="busy" />
}
