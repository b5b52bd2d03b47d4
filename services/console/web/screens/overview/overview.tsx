import { Screen } from '../../parts/screen.tsx'

export default function Placeholder() {
  return <Screen title="overview">{null}</Screen>
}
