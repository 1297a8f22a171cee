import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Words } from '../ui/words'
import { deviceSimulation } from './link'
import { behaviours } from './simulated-device'

/** Says that the devices of this build are simulated, and lets a visitor choose what they do. */
export function SimulatedDeviceCard() {
  const { t } = useLanguage()
  const [chosen, setChosen] = useState(() => deviceSimulation?.behaviour() ?? 'works')
  if (!deviceSimulation) return null
  const { behave } = deviceSimulation
  return (
    <Card title={t.simulated.title}>
      <Words kind="label" tone="muted">
        {t.simulated.hint}
      </Words>
      <Choice
        label={t.simulated.does}
        value={chosen}
        onChange={(next) => {
          behave(next)
          setChosen(next)
        }}
        options={behaviours.map((each) => [each, t.simulated.behaviours[each]] as const)}
      />
    </Card>
  )
}
