import { registerRootComponent } from 'expo'
import { App } from './src/app'
import { drawFocusRing } from './src/theme/focus-ring'

drawFocusRing()
registerRootComponent(App)
