import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { phoneCountries } from './phone/phone-number.ts'

export const listPhoneCountries = endpoint(
  {
    method: 'GET',
    path: '/api/v1/alpha/auth/phone-country',
    summary: 'The countries whose phone numbers get codes',
    description: `For the form of a phone number. In the order in which the service names its countries. A number of any other country
is refused as invalid. The response may be cached for an hour.`,
  },
  [],
)
  .input(noFieldsSchema)
  .output(
    z.array(
      z
        .object({
          country: z.string().meta({ description: 'ISO 3166-1 alpha-2', examples: ['KR'] }),
          calling_code: z
            .string()
            .meta({ description: 'With which its numbers begin in E.164', examples: ['+82'] }),
          names: z
            .object({
              en: z.string().meta({ description: 'In English', examples: ['South Korea'] }),
              ko: z.string().meta({ description: 'In Korean', examples: ['대한민국'] }),
            })
            .meta({ description: 'Its names, for forms on engines that know none' }),
        })
        .meta({ id: 'PhoneCountry', description: 'A country whose phone numbers get codes' }),
    ),
  )
  .query(({ ctx }) => {
    ctx.request.responseHeader('cache-control', 'public, max-age=3600')
    return phoneCountries(ctx.smsCountries)
  })
