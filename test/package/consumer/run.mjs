import * as sdk from '@companion/sdk'
import { tell } from './tell.cjs'

await tell(sdk)
