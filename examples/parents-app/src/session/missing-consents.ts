import { useQuery } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'

/**
 * Whether consents in force are missing, which must be asked for before anything else is shown. Without a response of the
 * service, or a kept one, nobody can be asked, and the app goes on with what it has.
 */
export function useMissingConsents(isSignedIn: boolean): 'unknown' | 'missing' | 'given' {
  const { data, isFetching } = useQuery({
    queryKey: cacheKeys.account,
    queryFn: ({ signal }) => companion.account.me({ signal }),
    enabled: isSignedIn,
  })
  if (!isSignedIn) return 'given'
  if (data === undefined && isFetching) return 'unknown'
  return data?.missing_consents?.length ? 'missing' : 'given'
}
