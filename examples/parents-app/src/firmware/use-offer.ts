import type { Device } from '@companion/sdk'
import { useQuery } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { deviceLink } from './link'

/**
 * What a device is offered, with the notes in the language of the app. It is not asked at night, nor by a build that reaches no
 * device.
 */
export function useOffer(
  { device_id, real_user_id }: Pick<Device, 'device_id' | 'real_user_id'>,
  isDay: boolean,
) {
  const { language } = useLanguage()
  return useQuery({
    queryKey: [...cacheKeys.firmware, 'offer', real_user_id, device_id, language],
    queryFn: ({ signal }) =>
      companion.trpc.firmware.check.query(
        { device_id },
        { signal, context: { headers: { 'accept-language': language } } },
      ),
    enabled: isDay && deviceLink !== undefined,
  })
}
