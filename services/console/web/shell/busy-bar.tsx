import { Progress } from '@mantine/core'
import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

const NOTICED_MS = 700

/** A line below the header while a request takes longer than 700 ms, also while earlier data is shown. */
export function BusyBar() {
  const isBusy = useIsFetching() > 0
  return isBusy ? <LateBar /> : null
}

/** Mounted while a request runs. */
function LateBar() {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return <Progress value={100} size={3} radius={0} striped animated aria-label="Loading" className="busy" />
}
